/** The default nesting limit for JSON, YAML, XML and schemas that others wrote. Recursion to this depth is safe. */
export const maxDepth = 64;

/** The nesting limit for values that servers return, which may contain a schema or document of their own. */
export const maxValueDepth = 256;

/** Limits of one JSON document, besides its bytes. */
export interface JsonLimits {
  /** Values in total: `[[],[]]` and `{"a":[1]}` have three. */
  elements: number;
  depth: number;
  /** Keys of one object. V8 slows down on objects with many thousands. */
  keys: number;
  /** Messages in a JSON-RPC batch: elements of an array at the top level. */
  batch?: number;
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openArray = 0x5b;
const closeArray = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** The bytes that the scanner stops at, inside and outside of strings. */
const inside = marked(quote, backslash, lineFeed, carriageReturn);
const outside = marked(quote, comma, openArray, closeArray, openObject, closeObject);

function marked(...bytes: number[]): Uint8Array {
  const marks = new Uint8Array(256);
  for (const byte of bytes) marks[byte] = 1;
  return marks;
}

/**
 * Counts elements, keys and depth of JSON as its bytes arrive, before it is parsed: parsing a few megabytes of
 * `[[],[],…` blocks the event loop for seconds. A line break ends a string, which valid JSON never contains unescaped,
 * so that an unclosed string cannot hide the next line of an event stream.
 */
export class JsonBounds {
  private readonly limits: JsonLimits;
  private readonly refuse: (what: string) => Error;
  private elements = 1;
  private depth = 0;
  private inString = false;
  private escaped = false;
  /** For each open container, by depth: its number of values so far, and whether it is an object. */
  private readonly counts: Int32Array;
  private readonly objects: Uint8Array;
  /** The largest number of keys in any object so far. */
  private maxKeys = 0;
  private batch = 1;

  /** `refuse` creates the error from the limit that was exceeded, such as `more than 5,000 JSON elements`. */
  constructor(limits: JsonLimits, refuse: (what: string) => Error) {
    this.limits = limits;
    this.refuse = refuse;
    this.counts = new Int32Array(limits.depth + 2);
    this.objects = new Uint8Array(limits.depth + 2);
  }

  /** Starts the next message. */
  reset(): void {
    this.elements = 1;
    this.depth = 0;
    this.inString = false;
    this.escaped = false;
    this.maxKeys = 0;
    this.batch = 1;
  }

  /**
   * Throws when a limit is exceeded. Uses two tight loops, inside and outside of strings, because it reads every byte.
   */
  feed(bytes: Uint8Array): void {
    let { elements, depth, inString, escaped } = this;
    const { length } = bytes;
    const { counts, objects } = this;
    const deepest = this.limits.depth + 1;
    let at = 0;
    if (escaped && length > 0) {
      escaped = false;
      if (!isLineBreak(bytes[0])) at++;
    }
    while (at < length) {
      if (inString) {
        while (at < length && inside[bytes[at] as number] === 0) at++;
        if (at === length) break;
        if (bytes[at] === backslash) {
          // An escaped line break ends the string, too.
          at += isLineBreak(bytes[at + 1]) ? 1 : 2;
          escaped = at > length;
        } else {
          inString = false;
          at++;
        }
        continue;
      }
      while (at < length && outside[bytes[at] as number] === 0) at++;
      if (at === length) break;
      const byte = bytes[at++];
      if (byte === quote) inString = true;
      else if (byte === comma) {
        elements++;
        const count = (counts[depth] = (counts[depth] as number) + 1);
        const isObject = objects[depth] === 1;
        if (isObject && count > this.maxKeys) this.maxKeys = count;
        if (!isObject && depth === 1) this.batch = count;
      } else if (byte === openArray || byte === openObject) {
        elements++;
        if (depth < deepest) depth++;
        counts[depth] = 1;
        objects[depth] = byte === openObject ? 1 : 0;
        if (depth === deepest) break;
      } else if (depth > 0) depth--;
    }
    this.elements = elements;
    this.depth = depth;
    this.inString = inString;
    this.escaped = escaped;
    this.check();
  }

  private check(): void {
    const { elements, depth, keys, batch = elements } = this.limits;
    if (this.elements > elements)
      throw this.refuse(`more than ${elements.toLocaleString('en')} JSON elements`);
    if (this.depth > depth) throw this.refuse(`JSON nested deeper than ${depth} levels`);
    if (this.maxKeys > keys)
      throw this.refuse(`a JSON object of more than ${keys.toLocaleString('en')} keys`);
    if (this.batch > batch) throw this.refuse(`a batch of more than ${batch} messages`);
  }
}

function isLineBreak(byte: number | undefined): boolean {
  return byte === lineFeed || byte === carriageReturn;
}

/** Whether a parsed value has more than `most` elements. Visits no more than that. */
export function hasMoreElements(value: unknown, most: number): boolean {
  let count = 0;
  const pending = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next !== 'object' || next === null) continue;
    const values: unknown[] = Array.isArray(next) ? next : Object.values(next);
    count += values.length;
    if (count > most) return true;
    for (const one of values) if (typeof one === 'object' && one !== null) pending.push(one);
  }
  return false;
}

/** The approximate size of a parsed value as JSON, in bytes. */
export function weightOf(value: unknown): number {
  let weight = 0;
  const pending = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    weight += typeof next === 'string' ? next.length + 2 : 4;
    if (typeof next !== 'object' || next === null) continue;
    if (!Array.isArray(next)) for (const key of Object.keys(next)) weight += key.length + 3;
    for (const one of Object.values(next)) pending.push(one);
  }
  return weight;
}

/** Whether a parsed value is nested deeper than `most` levels. */
export function isDeeper(value: unknown, most: number = maxDepth): boolean {
  // Goes level by level: recursion would overflow the stack on the values it is meant to find.
  let level = [value].filter(isContainer);
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > most) return true;
    level = level.flatMap((container): unknown[] => Object.values(container)).filter(isContainer);
  }
  return false;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
