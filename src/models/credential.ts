import { inspect } from 'node:util';

const hidden = '[hidden]';

/**
 * An API key that can be sent and not shown. The key is a private field, so neither JSON, a log, `console.log`, a
 * template string nor a spread of whatever holds it brings it out.
 */
export class Credential {
  readonly #key: string;

  constructor(key: string) {
    this.#key = key;
  }

  /** For the header of a request, and for finding the key in texts that must not hold it. */
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
