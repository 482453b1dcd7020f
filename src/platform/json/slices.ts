import { setImmediate as nextTurn } from 'node:timers/promises';

/** Maximum elements and characters of a value that is serialized at once, and characters of a slice of a larger one. */
const smallNodes = 2_000;
const smallText = 128 * 1024;
const sliceLength = 64 * 1024;
/** Milliseconds of work between two yields to the event loop. */
const maxSliceTime = 5;

/** Whether a value is small enough to be serialized at once. Visits a limited part of it. */
export function isSmall(value: unknown, maxNodes = smallNodes, maxText = smallText): boolean {
  let nodes = 0;
  let text = 0;
  const pending = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next === 'string') text += next.length;
    else if (typeof next === 'object' && next !== null) {
      const values: unknown[] = Array.isArray(next) ? next : Object.values(next);
      if (nodes + values.length > maxNodes) return false;
      for (const one of values) pending.push(one);
      nodes += values.length;
    }
    if (text > maxText) return false;
  }
  return true;
}

/** Small values inside a large one are serialized at once, because most of a large value consists of them. */
function isTiny(value: object): boolean {
  return isSmall(value, 30, 4_096);
}

interface Open {
  values: readonly unknown[];
  /** Keys of an object, in the order of `values`; undefined for an array. */
  keys: readonly string[] | undefined;
  next: number;
  /** Whether a value precedes the next one, so that a comma is needed. */
  needsComma: boolean;
}

/**
 * Serializes a value that was parsed from JSON, in slices, and yields to the event loop in between: serializing
 * megabytes at once would block requests. The slices add up to the output of `JSON.stringify`.
 */
export async function* jsonSlices(value: unknown): AsyncGenerator<string> {
  const stack: Open[] = [{ values: [value], keys: undefined, next: 0, needsComma: false }];
  let text = '';
  let pauseAt = performance.now() + maxSliceTime;
  let steps = 0;
  for (let open = stack.at(-1); open; open = stack.at(-1)) {
    if (text.length >= sliceLength) {
      yield text;
      text = '';
    }
    // Reading the clock costs as much as a step.
    if (++steps % 64 === 0 && performance.now() > pauseAt) {
      await nextTurn();
      pauseAt = performance.now() + maxSliceTime;
    }
    if (open.next === open.values.length) {
      stack.pop();
      if (stack.length > 0) text += open.keys ? '}' : ']';
      continue;
    }
    const key = open.keys?.[open.next];
    const next = open.values[open.next++];
    if (next === undefined && key !== undefined) continue;
    if (open.needsComma) text += ',';
    open.needsComma = true;
    if (key !== undefined) text += `${JSON.stringify(key)}:`;
    if (typeof next === 'object' && next !== null && isTiny(next)) text += JSON.stringify(next);
    else if (Array.isArray(next)) {
      text += '[';
      stack.push({ values: next, keys: undefined, next: 0, needsComma: false });
    } else if (typeof next === 'object' && next !== null) {
      text += '{';
      stack.push({ values: Object.values(next), keys: Object.keys(next), next: 0, needsComma: false });
    } else if (typeof next === 'string' && next.length > sliceLength) {
      yield `${text}"`;
      text = '';
      for (const piece of pieces(next)) {
        yield JSON.stringify(piece).slice(1, -1);
        await nextTurn();
      }
      text = '"';
    } else text += JSON.stringify(next) ?? 'null';
  }
  if (text !== '') yield text;
}

/** Never splits a surrogate pair. */
function* pieces(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + sliceLength, text.length);
    const last = text.charCodeAt(end - 1);
    if (end < text.length && last >= 0xd800 && last <= 0xdbff) end++;
    yield text.slice(start, end);
    start = end;
  }
}
