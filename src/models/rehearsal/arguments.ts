import { type Fact, type FactKind, factsIn } from './facts.ts';
import { listIn, phraseAfter, wordAfter, wordsAfter } from './phrases.ts';
import type { Parameter } from './schema.ts';
import { stemOf, stemsOf, type Word, wordsOf } from './tokenize.ts';

export interface FoundArguments {
  arguments: Record<string, unknown>;
  /** Required parameters without a value in the text. They are omitted, so that the server's error names them. */
  missing: string[];
}

/** A value with the surrounding words of its sentence, nearest first. */
interface PlacedFact extends Fact {
  before: Word[];
  after: Word[];
}

/** A text and the values in it. */
export interface TextFacts {
  text: string;
  words: Word[];
  facts: PlacedFact[];
}

/** The state of finding arguments for one tool. Each value is used for one parameter. */
interface Reading extends TextFacts {
  used: Set<Fact>;
  /** Stems of the tool's name. */
  verb: string[];
}

const maxFacts = 100;

/** Parses a text once for all tools. */
export function readText(text: string): TextFacts {
  const words = wordsOf(text);
  const breaks = (from: number, to: number): boolean => /[.!?;\n]\s/.test(text.slice(from, to));
  const facts = factsIn(text)
    .slice(0, maxFacts)
    .map((fact) => ({
      ...fact,
      before: words
        .filter(({ end }) => end <= fact.start)
        .slice(-4)
        .reverse()
        .filter(({ end }) => !breaks(end, fact.start)),
      after: words
        .filter(({ start }) => start >= fact.end)
        .slice(0, 2)
        .filter(({ start }) => !breaks(fact.end, start)),
    }));
  return { text, words, facts };
}

/** Finds arguments for a tool in a text. Values are never invented. */
export function argumentsFrom(
  read: TextFacts,
  toolName: string,
  parameters: readonly Parameter[],
): FoundArguments {
  const verb = wordsOf(toolName.slice(0, 200)).map(({ stem }) => stem);
  const values = fill(parameters, { ...read, used: new Set(), verb });
  return {
    arguments: Object.fromEntries(values),
    missing: parameters.filter(({ name, required }) => required && !values.has(name)).map(({ name }) => name),
  };
}

/**
 * Assigns the most certain values first: named choices, values next to the name of a parameter, single words after it.
 * Then required parameters take any remaining value that fits.
 */
function fill(parameters: readonly Parameter[], reading: Reading): Map<string, unknown> {
  const values = new Map<string, unknown>();
  const each = (wanted: (parameter: Parameter) => boolean, find: (parameter: Parameter) => unknown): void => {
    for (const parameter of parameters.filter((one) => !values.has(one.name) && wanted(one))) {
      const value = find(parameter);
      if (value !== undefined) values.set(parameter.name, value);
    }
  };
  const take = (sure: boolean): void => {
    const open = parameters.filter((one) => !values.has(one.name) && takesOneFact(one));
    for (const [name, value] of matched(open, reading, sure)) values.set(name, value);
  };
  each(
    ({ choices }) => choices !== undefined,
    (parameter) => choiceIn(parameter, reading),
  );
  each(isList, (parameter) => listNextTo(parameter, reading));
  take(true);
  each(isPlainText, (parameter) => wordFor(parameter, reading, stemsOfLast));
  take(false);
  const isNeeded = (parameter: Parameter): boolean => parameter.required && isPlainText(parameter);
  each(isNeeded, (parameter) => wordFor(parameter, reading, cuesOfLast) ?? phraseFor(parameter, reading));
  each(
    ({ type }) => type === 'boolean',
    (parameter) => booleanIn(parameter, reading),
  );
  each(
    ({ type, required, items }) => type === 'array' && (required || items?.choices !== undefined),
    (parameter) => arrayIn(parameter, reading),
  );
  each(
    ({ type }) => type === 'object',
    ({ fields = [] }) => objectOf(fill(fields, reading)),
  );
  // In the order of the schema.
  return new Map(
    parameters.filter(({ name }) => values.has(name)).map(({ name }) => [name, values.get(name)]),
  );
}

function objectOf(fields: Map<string, unknown>): object | undefined {
  return fields.size > 0 ? Object.fromEntries(fields) : undefined;
}

function isPlainText({ type, choices }: Parameter): boolean {
  return type === 'string' && !choices;
}

function isList({ type, items }: Parameter): boolean {
  return type === 'array' && items !== undefined && takesOneFact(items);
}

function takesOneFact({ type, choices }: Parameter): boolean {
  return !choices && (type === 'string' || type === 'number' || type === 'integer');
}

/** Parameter names by pattern, with the kinds of values that fit and how well. */
const subjects: [shape: RegExp, kinds: Partial<Record<FactKind, number>>][] = [
  [/e-?mail|recipient/, { email: 6 }],
  [/\bur[il]\b|link|website|href/, { url: 6, quoted: 1 }],
  [/pattern|glob|regex/, { pattern: 6, quoted: 3 }],
  [/path|file|directory|folder|\bdir\b/, { path: 5, quoted: 2, pattern: 1 }],
  [/date|\bday\b|since|until|deadline|\bdue\b/, { date: 6, quoted: 1 }],
  [/time/, { time: 6, date: 4, quoted: 1 }],
  [/\bids?\b|\bkey\b|number|\bcode\b|\bref\b|\bsha\b/, { id: 4, quoted: 3, number: 2 }],
  [
    /query|message|text|content|topic|body|title|comment|note|question|prompt|subject|summary|reason/,
    { quoted: 4 },
  ],
];
const anything: Partial<Record<FactKind, number>> = {
  quoted: 4,
  name: 3,
  id: 2,
  path: 2,
  url: 1,
  email: 1,
  date: 1,
  time: 1,
};
const formats: Record<string, Partial<Record<FactKind, number>>> = {
  email: { email: 6 },
  uri: { url: 6 },
  date: { date: 6 },
  time: { time: 6 },
  'date-time': { date: 6 },
};

/** A parameter with the facts about it that matching needs, computed once. */
interface Wish {
  parameter: Parameter;
  kinds: Partial<Record<FactKind, number>>;
  /** Words of the name, and words of the description. */
  named: Set<string>;
  told: Set<string>;
  isAmount: boolean;
}

function wishOf(parameter: Parameter): Wish {
  const { name, type, description, format = '' } = parameter;
  const words = wordsOf(name.slice(0, 100));
  const spaced = words.map(({ text }) => text.toLowerCase()).join(' ');
  const subject = subjects.find(([shape]) => shape.test(spaced))?.[1];
  const ofText = (Object.hasOwn(formats, format) ? formats[format] : undefined) ?? subject ?? anything;
  return {
    parameter,
    kinds: type === 'string' ? ofText : { number: 2 },
    named: new Set(cuesOf(name)),
    told: new Set(stemsOf(description)),
    isAmount: type !== 'string' && words.some(({ stem }) => amounts.has(stem)),
  };
}

function fits({ parameter: { type }, kinds }: Wish, { kind, value }: Fact): number {
  return type === 'integer' && !Number.isInteger(value) ? 0 : (kinds[kind] ?? 0);
}

/**
 * Assigns values to parameters, best pairs first: pairs with evidence or, for required parameters, any value that fits.
 */
function matched(
  parameters: readonly Parameter[],
  { facts, used }: Reading,
  sure: boolean,
): Map<string, unknown> {
  const pairs = parameters.map(wishOf).flatMap((wish, order) =>
    facts.flatMap((fact, place) => {
      const fit = used.has(fact) ? 0 : fits(wish, fact);
      if (fit === 0) return [];
      const close = closeness(wish, fact);
      const meant = close >= 1 || (fit >= 5 && close > 0) || (!sure && wish.parameter.required);
      return meant ? [{ parameter: wish.parameter, fact, order, place, score: fit + close }] : [];
    }),
  );
  pairs.sort(
    (a, b) =>
      Number(b.parameter.required) - Number(a.parameter.required) ||
      b.score - a.score ||
      a.order - b.order ||
      a.place - b.place,
  );
  const values = new Map<string, unknown>();
  for (const { parameter, fact } of pairs) {
    if (values.has(parameter.name) || used.has(fact)) continue;
    used.add(fact);
    values.set(parameter.name, parameter.type === 'string' ? String(fact.value) : fact.value);
  }
  return values;
}

/** Words that indicate a parameter: "from Paris" is the source. */
const cues: Record<string, string> = {
  source: 'from',
  origin: 'from',
  departure: 'from',
  start: 'from',
  destination: 'to',
  target: 'to',
  dest: 'to',
  arrival: 'to',
  recipient: 'to',
  end: 'to',
  location: 'in',
  city: 'in',
  place: 'in',
  country: 'in',
  name: 'named called',
  topic: 'about on',
  query: 'for about',
  subject: 'about',
  author: 'by',
  base: 'into onto',
  head: 'from first',
  owner: 'by',
  user: 'by for',
  date: 'on',
  time: 'at',
  offset: 'skip after',
  limit: 'first most only top',
  count: 'first most only',
  tail: 'last',
  content: 'containing content saying',
  duration: 'for',
};
/** Parameters for amounts: a number before a noun is a count, not an offset. */
const amounts = new Set('limit count max maximum top size number amount quantity n'.split(' ').map(stemOf));

function cuesOf(name: string): string[] {
  return wordsOf(name).flatMap(({ text, stem }) => {
    const lower = text.toLowerCase();
    return [stem, lower, ...(Object.hasOwn(cues, lower) ? (cues[lower] ?? '').split(' ') : [])];
  });
}

/** How close a value is to words of a parameter's name and, with less weight, of its description. */
function closeness({ named, told, isAmount }: Wish, { before, after, value }: PlacedFact): number {
  const weight = ({ text, stem }: Word): number =>
    named.has(text.toLowerCase()) || named.has(stem) ? 3 : told.has(stem) ? 1.3 : 0;
  const sum = (side: Word[]): number =>
    side.reduce((near, word, place) => near + weight(word) / (place + 1), 0);
  // A unit follows its number, but words after a text belong to the next value.
  const near = sum(before) + (typeof value === 'number' ? 0.8 * sum(after) : 0);
  return near > 0 && isAmount ? near + 0.5 : near;
}

/** Returns the choice that the text contains. Of several, returns the one next to the parameter's name. */
function choiceIn(parameter: Parameter, reading: Reading): unknown {
  const found = choicesIn(parameter, reading);
  const last = wordsOf(parameter.name.slice(0, 100)).at(-1);
  const next = last && wordAfter(reading, [last.stem])?.toLowerCase();
  return found.find((choice) => String(choice).toLowerCase() === next) ?? found[0];
}

/** Compares words, so that `in_progress` matches "in progress". */
function choicesIn({ choices = [] }: Parameter, { words }: Reading): unknown[] {
  const spaced = (list: readonly Word[]): string =>
    ` ${list.map(({ text }) => text.toLowerCase()).join(' ')} `;
  const text = spaced(words);
  return choices.filter((choice) => {
    const named = spaced(wordsOf(String(choice)));
    return named.trim() !== '' && text.includes(named);
  });
}

/** True if the text contains the words of the name, false if it negates them; undefined without these words. */
function booleanIn({ name }: Parameter, { text, words }: Reading): boolean | undefined {
  const stems = wordsOf(name)
    .map(({ stem }) => stem)
    .filter((stem) => stem !== 'is' && stem !== 'should');
  const at = words.findIndex(({ stem }) => stem === stems.at(-1));
  if (at < 0 || !stems.every((stem) => words.some((word) => word.stem === stem) || stem === 'includ'))
    return undefined;
  const around = words.slice(Math.max(0, at - 3), at + 4).map((word) => word.text.toLowerCase());
  const opening = text.slice(words[Math.max(0, at - 3)]?.start ?? 0, words[at]?.start);
  const denied = around.some((word) => ['false', 'off', 'disabled', 'disable'].includes(word));
  return !denied && !/\b(?:no|not|without|don't|do not|never|skip)\b/i.test(opening);
}

/** The values next to the name of a list, with those joined by commas or `and`. */
function listNextTo(parameter: Parameter, reading: Reading): unknown[] | undefined {
  const { items } = parameter;
  if (!items) return undefined;
  const wish = wishOf({ ...items, name: parameter.name });
  const { facts, used, text } = reading;
  const first = facts.find((fact) => !used.has(fact) && fits(wish, fact) > 0 && closeness(wish, fact) >= 1.5);
  if (!first)
    return items.type === 'string'
      ? wordsAfter(
          reading,
          wordsOf(parameter.name.slice(0, 100))
            .slice(-1)
            .map(({ stem }) => stem),
        )
      : undefined;
  const taken = [first];
  for (const fact of facts.slice(facts.indexOf(first) + 1)) {
    const last = taken.at(-1) ?? first;
    const joined = /^,? ?(?:and|or|&)? ?$/.test(text.slice(last.end, fact.start));
    if (!joined || fact.kind !== first.kind || fits(wish, fact) === 0) break;
    taken.push(fact);
  }
  return valuesOf(items, taken, used);
}

/** All values of the kind that best fits a required list. */
function arrayIn({ name, items }: Parameter, reading: Reading): unknown[] | undefined {
  if (!items) return undefined;
  if (items.choices) return some(choicesIn(items, reading));
  if (items.type === 'object') {
    const fields = objectOf(fill(items.fields ?? [], reading));
    return fields && [fields];
  }
  const { facts, used, text } = reading;
  const wish = wishOf({ ...items, name });
  const fit = (fact: Fact): number => (used.has(fact) ? 0 : fits(wish, fact));
  const best = Math.max(0, ...facts.map(fit));
  if (best > 0)
    return valuesOf(
      items,
      facts.filter((fact) => fit(fact) === best),
      used,
    );
  return items.type === 'string' ? some(listIn(text)) : undefined;
}

function valuesOf({ type }: Parameter, facts: readonly Fact[], used: Set<Fact>): unknown[] {
  for (const fact of facts) used.add(fact);
  return facts.map(({ value }) => (type === 'string' ? String(value) : value));
}

function some<T>(list: T[]): T[] | undefined {
  return list.length > 0 ? list : undefined;
}

/** The word after the name of a parameter: `person` for `entityType` in "of type person". */
function wordFor(
  { name }: Parameter,
  reading: Reading,
  cuesFor: (last: Word) => string[],
): string | undefined {
  const last = wordsOf(name.slice(0, 100)).at(-1);
  if (!last || freeText.test(name.toLowerCase())) return undefined;
  const next = wordAfter(reading, cuesFor(last));
  return next !== undefined && isFree(next, reading) ? next : undefined;
}

const stemsOfLast = ({ stem }: Word): string[] => [stem];
const cuesOfLast = ({ text }: Word): string[] => cuesOf(text);

/** Whether a word is neither part of a value nor the verb of the request. */
function isFree(word: string, { facts, verb }: Reading): boolean {
  return !verb.includes(stemOf(word)) && !facts.some(({ value }) => String(value).includes(word));
}

const freeText =
  /query|message|text|content|topic|body|title|comment|note|question|prompt|subject|term|search|input|data|keyword/;

/** The rest of the request, for a parameter that takes free text. */
function phraseFor({ name }: Parameter, reading: Reading): string | undefined {
  return freeText.test(name.toLowerCase()) ? phraseAfter(reading, reading.verb) : undefined;
}
