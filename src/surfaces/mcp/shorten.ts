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

/** Tried in order, until the value fits. */
const levels: readonly Level[] = [
  { text: 4000, items: 100, depth: 12 },
  { text: 1500, items: 40, depth: 10 },
  { text: 600, items: 20, depth: 8 },
  { text: 300, items: 10, depth: 7 },
  { text: 160, items: 6, depth: 6 },
  { text: 80, items: 3, depth: 5 },
  { text: 40, items: 2, depth: 4 },
  { text: 20, items: 1, depth: 2 },
];

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
  const whole: [string, unknown][] = Object.entries(value).filter(
    ([, inner]) => inner !== null && inner !== undefined,
  );
  if (depth >= level.depth && whole.length > 0) {
    left.items += whole.length;
    return Array.isArray(value) ? `(a list of ${whole.length})` : `(an object with ${whole.length} fields)`;
  }
  // Objects are records more often than lists, so they keep more.
  const kept = whole.slice(0, Array.isArray(value) ? level.items : level.items * 4 + 8);
  const missing = whole.length - kept.length;
  left.items += missing;
  const inner = kept.map(([name, each]) => [name, trimmed(each, level, left, depth + 1)] as const);
  if (Array.isArray(value))
    return [...inner.map(([, each]) => each), ...(missing > 0 ? [`(${missing} more)`] : [])];
  return Object.fromEntries([...inner, ...(missing > 0 ? [['(left out)', `${missing} fields`]] : [])]);
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
    if (inner === null || inner === undefined) return true;
    if (typeof inner !== 'object') {
      room -= typeof inner === 'string' ? inner.length + 2 : 8;
      return (
        room >= 0 && (typeof inner !== 'string' || spend(JSON.stringify(inner).length - inner.length - 2))
      );
    }
    room -= 2;
    for (const [name, each] of Object.entries(inner)) {
      if (each === null || each === undefined) continue;
      room -= Array.isArray(inner) ? 1 : name.length + 4;
      if (room < 0 || !take(each)) return false;
    }
    return room >= 0;
  };
  const spend = (more: number): boolean => (room -= more) >= 0;
  return take(value);
}
