import { Refusal } from '../contract/errors.ts';

export function nameTaken(thing: string, name: string, note = ''): Refusal {
  const message = `A ${thing} named ${JSON.stringify(name)} already exists in this project${note}`;
  return new Refusal('CONFLICT', message, { details: { reason: 'NAME_TAKEN', name } });
}
