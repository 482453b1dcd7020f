import { Refusal } from '../contract/errors.ts';

export function nameTaken(thing: string, name: string, whatever = ''): Refusal {
  const message = `A ${thing} named ${JSON.stringify(name)} already exists in this project${whatever}`;
  return new Refusal('CONFLICT', message, { details: { reason: 'NAME_TAKEN', name } });
}
