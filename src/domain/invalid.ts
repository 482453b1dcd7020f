import { Refusal } from '../contract/errors.ts';

/** For a text that quotes the request: cut short, and not in the middle of a character. */
export function invalid(message: string): Refusal {
  return new Refusal('VALIDATION_ERROR', message.slice(0, 500).toWellFormed());
}
