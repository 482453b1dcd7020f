import { inspect } from 'node:util';

const hidden = '[hidden]';

/**
 * An API key that cannot leak by accident: it is a private field, so JSON, logs, `console.log`, template strings and
 * spreads do not contain it.
 */
export class Credential {
  readonly #key: string;

  constructor(key: string) {
    this.#key = key;
  }

  /** For request headers, and for finding the key in texts that must not contain it. */
  reveal(): string {
    return this.#key;
  }

  toJSON(): string {
    return hidden;
  }

  toString(): string {
    return hidden;
  }

  [inspect.custom](): string {
    return hidden;
  }
}
