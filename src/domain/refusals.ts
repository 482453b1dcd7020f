import { Refusal } from '../contract/errors.ts';
import { violates } from '../platform/database/database.ts';

/** For what is not in the project of the path, or may not be seen there. */
export function notFound(thing: string): Refusal {
  return new Refusal('NOT_FOUND', `No such ${thing} in this project`);
}

/** The row, or the refusal that there is none. */
export function found<Row>(row: Row | undefined, thing: string): Row {
  if (row === undefined) throw notFound(thing);
  return row;
}

/** `code` is the word that clients look for; it is repeated as `reason`, unless the details give another one. */
export function conflict(message: string, code: string, details: Record<string, unknown> = {}): Refusal {
  return new Refusal('CONFLICT', message, { details: { code, ...details } });
}

/** The database decides whether a name is taken, so that two callers cannot both win. */
export function refuseTaken(
  thing: string,
  name: string,
  constraint: string,
  note = '',
): (error: unknown) => never {
  return (error) => {
    if (!violates(error, constraint)) throw error;
    throw conflict(
      `${/^[aeiou]/.test(thing) ? 'An' : 'A'} ${thing} named ${JSON.stringify(name)} already exists in this project${note}`,
      'NAME_TAKEN',
      { name },
    );
  };
}
