import { stemOf, verbs } from './tokenize.ts';

export type FactKind =
  | 'quoted'
  | 'url'
  | 'email'
  | 'path'
  | 'pattern'
  | 'date'
  | 'time'
  | 'number'
  | 'id'
  | 'name';

export interface Fact {
  kind: FactKind;
  value: string | number;
  start: number;
  end: number;
}

interface Scan {
  kind: FactKind;
  shape: RegExp;
  /** The value of a match; undefined if the match is not a value. */
  value: (match: RegExpExecArray) => string | number | undefined;
}

const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const month = '(jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]{0,6}\\.?';
const units = '(?:ms|s|m|h|d|px|gb|mb|kb|kg|km|cm|%)';
const counted = ['two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'];

/** In order: later patterns do not see what earlier ones matched. Each runs in linear time. */
const scans: Scan[] = [
  {
    kind: 'quoted',
    shape:
      /"([^"\n]{1,2000})"|“([^”\n]{1,2000})”|`([^`\n]{1,2000})`|(?<![\p{L}\p{N}])'([^'\n]{1,500})'(?![\p{L}\p{N}])/gu,
    value: ([, ...inside]) => inside.find((text) => text !== undefined),
  },
  {
    kind: 'url',
    shape: /\b(?:https?|ftp|file|data|ws|wss|[a-z]{2,20}):\/\/[^\s"'<>]{1,2000}/gi,
    value: trimmed,
  },
  { kind: 'email', shape: /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}/g, value: trimmed },
  {
    kind: 'date',
    shape: /\b\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?/g,
    value: ([text]) => text,
  },
  {
    kind: 'date',
    shape: new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)?(?: of)? ${month},? (\\d{4})\\b`, 'gi'),
    value: ([, day, name, year]) => isoDate(year, name, day),
  },
  {
    kind: 'date',
    shape: new RegExp(`\\b${month} (\\d{1,2})(?:st|nd|rd|th)?,? (\\d{4})\\b`, 'gi'),
    value: ([, name, day, year]) => isoDate(year, name, day),
  },
  {
    kind: 'time',
    shape: /\b(\d{1,2})(?::(\d{2}))?(?::(\d{2}))?\s?(am|pm)\b|\b(\d{1,2}):(\d{2})(?::(\d{2}))?\b/gi,
    value: ([, hour, minute, second, half, hour24, minute24, second24]) =>
      clockTime(hour ?? hour24, minute ?? minute24, second ?? second24, half),
  },
  {
    kind: 'pattern',
    shape: /(?<![\w*])[\w./-]{0,100}\*[\w.*/{}-]{0,100}/g,
    value: ([text]) => (text.length > 1 ? text : undefined),
  },
  {
    kind: 'path',
    shape:
      /(?<![\w:/.])(?:[A-Za-z]:\\|~?\/|\.{1,2}\/)[\w.@%+/\\-]{0,500}|(?<![\w/.@-])[\w-]{1,100}(?:\/[\w.-]{1,100}){0,20}\.[a-z][a-z0-9]{0,5}\b/g,
    value: trimmed,
  },
  // Before numbers, because the digits of `PROJ-12` are not a number.
  {
    kind: 'id',
    shape: /(?<![\w-])[A-Za-z][\w-]{2,100}(?![\w-])/g,
    value: ([text]) => (/\d/.test(text) && /[A-Za-z]/.test(text) ? text : undefined),
  },
  {
    kind: 'number',
    shape: new RegExp(
      `(?<![\\w.])[-+]?(?:\\d{1,3}(?:,\\d{3})+|\\d{1,15})(?:\\.\\d{1,15})?(?=${units}?(?![\\w%]))`,
      'g',
    ),
    value: ([text]) => Number(text.replaceAll(',', '')),
  },
  {
    kind: 'number',
    shape: new RegExp(`\\b(${counted.join('|')})\\b`, 'gi'),
    value: ([text]) => counted.indexOf(text.toLowerCase()) + 2,
  },
  {
    kind: 'id',
    shape: /(?<![\w-])[\w-]{3,100}(?![\w-])/g,
    value: ([text]) => (/\d/.test(text) && /[A-Za-z]/.test(text) ? text : undefined),
  },
  {
    kind: 'name',
    shape: /\p{Lu}[\p{L}\p{N}'’-]{0,60}(?: \p{Lu}[\p{L}\p{N}'’-]{0,60}){0,5}/gu,
    value: properName,
  },
];

/** The values in a text, in order and without overlaps. */
export function factsIn(text: string): Fact[] {
  const facts: Fact[] = [];
  const taken = new Uint8Array(text.length);
  for (const { kind, shape, value } of scans)
    for (const match of text.matchAll(shape)) {
      const found = value(match);
      if (found === undefined || found === '') continue;
      // The value may be part of the match, without a full stop or a verb before a name.
      const inside = typeof found === 'string' ? match[0].indexOf(found) : -1;
      const start = match.index + (kind === 'quoted' ? 0 : Math.max(0, inside));
      const end =
        kind === 'quoted' || inside < 0 ? match.index + match[0].length : start + String(found).length;
      if (taken.subarray(start, end).includes(1)) continue;
      taken.fill(1, start, end);
      facts.push({ kind, value: found, start, end });
    }
  return facts.sort((a, b) => a.start - b.start);
}

/** A text with quotations and addresses replaced by spaces. */
export function withoutValues(text: string): string {
  let rest = text;
  for (const { kind, start, end } of factsIn(text))
    if (valuesOnly.has(kind)) rest = `${rest.slice(0, start)}${' '.repeat(end - start)}${rest.slice(end)}`;
  return rest;
}

const valuesOnly: ReadonlySet<FactKind> = new Set(['quoted', 'url', 'email', 'path', 'pattern']);

function trimmed([text]: RegExpExecArray): string {
  return text.replace(/[.,;:!?)\]]+$/, '');
}

function isoDate(year = '', name = '', day = ''): string | undefined {
  const index = months.indexOf(name.slice(0, 3).toLowerCase());
  if (index < 0 || Number(day) < 1 || Number(day) > 31) return undefined;
  return `${year}-${String(index + 1).padStart(2, '0')}-${day.padStart(2, '0')}`;
}

function clockTime(hour = '', minute = '00', second?: string, half?: string): string | undefined {
  const noon = half?.toLowerCase() === 'pm' ? 12 : 0;
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + noon;
  if (hours > 23 || Number(minute) > 59) return undefined;
  return [String(hours).padStart(2, '0'), minute, ...(second === undefined ? [] : [second])].join(':');
}

/**
 * Capitalized words, without the verb or stop word at the start of a sentence. A single capitalized word before a
 * lowercase one is just the start of a sentence.
 */
function properName(match: RegExpExecArray): string | undefined {
  const words = match[0].split(' ');
  const opens = /(?:^|[.!?:;]\s*)$/.test(match.input.slice(Math.max(0, match.index - 5), match.index));
  while (words[0] !== undefined && isOpening(words[0], opens)) words.shift();
  const isOne = words.length === 1 && words.length === match[0].split(' ').length;
  if (opens && isOne && /^[,:]? ?\p{Ll}/u.test(match.input.slice(match.index + match[0].length)))
    return undefined;
  const name = words.join(' ').replace(/['’]s?$/, '');
  return name.length > 1 ? name : undefined;
}

const openings = new Set(
  'the a an and or but if then what which who how when where why is are do does can could would should shall will may must please kindly i my we it this that there to for of in on at from with mr mrs use using'.split(
    ' ',
  ),
);

/** Verbs count at the start of a sentence only, since `New` is a verb and part of `New York`. */
function isOpening(word: string, opens: boolean): boolean {
  const lower = word.toLowerCase();
  return openings.has(lower) || (opens && verbs.has(stemOf(lower)));
}
