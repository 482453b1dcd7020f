import { Refusal } from '../contract/errors.ts';

export function nameTaken(thing: string, name: string): Refusal {
  return new Refusal('CONFLICT', `A ${thing} named ${JSON.stringify(name)} already exists in this project`, {
    details: { reason: 'NAME_TAKEN', name },
  });
}
