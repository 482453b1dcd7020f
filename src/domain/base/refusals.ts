import { Refusal } from '../../contract/errors.ts';
import { violates } from '../../platform/database/database.ts';

/** For resources that are not in the project of the path, or not visible there. */
export function notFound(thing: string): Refusal {
  return new Refusal('NOT_FOUND', `No such ${thing} in this project`);
}

/** Returns the row, or throws 404. */
export function found<Row>(row: Row | undefined, thing: string): Row {
  if (row === undefined) throw notFound(thing);
  return row;
}

/** `code` is for clients to match; it is also sent as `reason`, unless the details contain one. */
export function conflict(message: string, code: string, details: Record<string, unknown> = {}): Refusal {
  return new Refusal('CONFLICT', message, { details: { code, ...details } });
}

/** Uniqueness is checked by the database, so that of two concurrent requests only one succeeds. */
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

/** Truncates the message, which may quote the request. A surrogate pair cut in half becomes U+FFFD. */
export function invalid(message: string): Refusal {
  return new Refusal('VALIDATION_ERROR', message.slice(0, 500).toWellFormed());
}

/** A 400 with a `details.reason` for clients to match. */
export function invalidBecause(
  message: string,
  reason: string,
  details: Record<string, unknown> = {},
): Refusal {
  return new Refusal('VALIDATION_ERROR', message, { details: { reason, ...details } });
}

export function noChatSession(): Refusal {
  return new Refusal('NOT_FOUND', 'No such chat session');
}

export function deadLink(): Refusal {
  return new Refusal('NOT_FOUND', 'This link is not valid. Ask the person who sent it for a new one', {
    details: { reason: 'DEAD_LINK' },
  });
}
