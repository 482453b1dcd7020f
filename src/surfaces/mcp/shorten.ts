/** What a shortened value lacks. */
export interface Left {
  items: number;
  texts: number;
}

interface Level {
  text: number;
  items: number;
  depth: number;
}

/** Tried in order, until the value fits: each leaves about two thirds of the one before. */
const levels: readonly Level[] = Array.from({ length: 18 }, (_, nth) => ({
  text: Math.round(6000 * 0.72 ** nth),
  items: Math.max(1, Math.round(200 * 0.72 ** nth)),
  depth: Math.max(2, 14 - Math.floor(nth * 0.7)),
}));

/** A value without what is null, as JSON of at most `most` characters: long lists and texts are cut, and counted. */
export function shorten(value: unknown, most: number): { value: unknown; left: Left | undefined } {
  if (fits(value, most))
    return { value: trimmed(value, unbounded, { items: 0, texts: 0 }, 0), left: undefined };
  for (const level of levels) {
    const left = { items: 0, texts: 0 };
    const short = trimmed(value, level, left, 0);
    if (JSON.stringify(short).length <= most)
      return { value: short, left: left.items + left.texts > 0 ? left : undefined };
  }
  return { value: '(too large to show)', left: { items: 1, texts: 0 } };
}

const unbounded: Level = { text: Infinity, items: Infinity, depth: Infinity };

function trimmed(value: unknown, level: Level, left: Left, depth: number): unknown {
  if (typeof value === 'string') return cutText(value, level.text, left);
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value)
    ? trimmedList(value, level, left, depth)
    : trimmedRecord(value, level, left, depth);
}

function trimmedList(list: unknown[], level: Level, left: Left, depth: number): unknown {
  if (depth >= level.depth && list.length > 0) {
    left.items += list.length;
    return `(a list of ${list.length})`;
  }
  // Only what is kept is looked at: a list may be long.
  const kept = list.slice(0, level.items);
  const missing = list.length - kept.length;
  left.items += missing;
  const inner = kept.map((each) => trimmed(each, level, left, depth + 1));
  return missing > 0 ? [...inner, `(${missing} more)`] : inner;
}

function trimmedRecord(record: object, level: Level, left: Left, depth: number): unknown {
  const whole: [string, unknown][] = Object.entries(record).filter(
    ([, each]) => each !== null && each !== undefined,
  );
  if (depth >= level.depth && whole.length > 0) {
    left.items += whole.length;
    return `(an object with ${whole.length} fields)`;
  }
  const kept = whole.slice(0, level.items * 4 + 8);
  const missing = whole.length - kept.length;
  left.items += missing;
  return Object.fromEntries([
    ...kept.map(([name, each]) => [name, trimmed(each, level, left, depth + 1)]),
    ...(missing > 0 ? [['(left out)', `${missing} fields`]] : []),
  ]);
}

function cutText(text: string, most: number, left: Left): string {
  if (text.length <= most) return text;
  left.texts++;
  return `${text.slice(0, most).toWellFormed()}… (${text.length - most} more characters)`;
}

/** Looks at no more than would fit. */
function fits(value: unknown, most: number): boolean {
  let room = most;
  const take = (inner: unknown): boolean => {
    if (typeof inner === 'string') room -= inner.length > room ? inner.length : JSON.stringify(inner).length;
    else if (Array.isArray(inner)) {
      room -= 2;
      for (let at = 0; at < inner.length && room >= 0; at++) {
        room -= 1;
        take(inner[at]);
      }
    } else if (typeof inner === 'object' && inner !== null) {
      room -= 2;
      for (const name in inner) {
        const each = (inner as Record<string, unknown>)[name];
        if (room < 0 || each === null || each === undefined) continue;
        room -= name.length + 4;
        take(each);
      }
    } else room -= String(inner).length;
    return room >= 0;
  };
  return take(value);
}
