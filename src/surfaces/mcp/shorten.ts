import { visibleLength } from '../../platform/quoted.ts';

/** The number of omitted items and shortened texts. */
export interface Left {
  items: number;
  texts: number;
}

interface Level {
  text: number;
  items: number;
  depth: number;
}

/** The omissions so far, and the remaining characters. */
interface Spent extends Left {
  room: number;
  /** Cache of the names of non-null fields. */
  names: WeakMap<object, string[]>;
}

const whole: Level = { text: Infinity, items: Infinity, depth: Infinity };

/** Levels in order of attempts: each keeps about two thirds of the previous one. */
function levelsFor(most: number): Level[] {
  const shorter = Array.from({ length: 18 }, (_, nth) => ({
    text: Math.round(most * 0.75 * 0.72 ** nth),
    items: Math.max(1, Math.round(Math.max(200, most / 40) * 0.72 ** nth)),
    depth: Math.max(2, 14 - Math.floor(nth * 0.7)),
  }));
  return [whole, ...shorter];
}

/**
 * Shortens a value to at most `most` characters of visible JSON: drops null fields, and cuts and counts long lists and
 * texts. A level is abandoned as soon as it exceeds the limit, so that the time does not grow with the value.
 */
export function shorten(value: unknown, most: number): { value: unknown; left: Left | undefined } {
  const names = new WeakMap<object, string[]>();
  for (const level of levelsFor(most)) {
    const spent = { room: most, items: 0, texts: 0, names };
    const short = trimmed(value, level, spent, 0);
    const { room, items, texts } = spent;
    if (room >= 0) return { value: short, left: items + texts > 0 ? { items, texts } : undefined };
  }
  return { value: '(too large to show)', left: { items: 1, texts: 0 } };
}

function trimmed(value: unknown, level: Level, spent: Spent, depth: number): unknown {
  if (typeof value === 'string') return written(cutText(value, level.text, spent), spent);
  if (typeof value !== 'object' || value === null) {
    spent.room -= String(value).length;
    return value;
  }
  spent.room -= 2;
  return Array.isArray(value)
    ? trimmedList(value, level, spent, depth)
    : trimmedRecord(value as Record<string, unknown>, level, spent, depth);
}

function trimmedList(list: unknown[], level: Level, spent: Spent, depth: number): unknown {
  if (depth >= level.depth && list.length > 0) {
    spent.items += list.length;
    return written(`(a list of ${list.length})`, spent);
  }
  const count = Math.min(list.length, level.items);
  const kept: unknown[] = [];
  for (let at = 0; at < count && spent.room >= 0; at++) {
    spent.room -= 1;
    kept.push(trimmed(list[at], level, spent, depth + 1));
  }
  const missing = list.length - count;
  if (missing > 0) {
    spent.items += missing;
    kept.push(written(`(${missing} more)`, spent));
  }
  return kept;
}

function trimmedRecord(record: Record<string, unknown>, level: Level, spent: Spent, depth: number): unknown {
  const names = spent.names.get(record) ?? namesIn(record);
  spent.names.set(record, names);
  if (depth >= level.depth && names.length > 0) {
    spent.items += names.length;
    return written(`(an object with ${names.length} fields)`, spent);
  }
  const count = Math.min(names.length, level.items * 4 + 8);
  const kept: [string, unknown][] = [];
  for (let at = 0; at < count && spent.room >= 0; at++) {
    const name = names[at] as string;
    spent.room -= 2;
    kept.push([
      written(cutText(name, Math.max(level.text, maxNameLength), spent), spent),
      trimmed(record[name], level, spent, depth + 1),
    ]);
  }
  const missing = names.length - count;
  if (missing > 0) {
    spent.items += missing;
    kept.push([written('(omitted)', spent), written(`${missing} fields`, spent)]);
  }
  return Object.fromEntries(kept);
}

function namesIn(record: Record<string, unknown>): string[] {
  return Object.keys(record).filter((name) => record[name] !== null && record[name] !== undefined);
}

const maxNameLength = 60;

function cutText(text: string, most: number, spent: Spent): string {
  if (text.length <= most) return text;
  spent.texts++;
  return `${text.slice(0, most).toWellFormed()}… (${text.length - most} more characters)`;
}

/** Charges a text with its escaped length. A text that exceeds the limit anyway is not escaped. */
function written(text: string, spent: Spent): string {
  spent.room -= text.length > spent.room ? text.length + 1 : visibleLength(text);
  return text;
}
