/** A word of a text and its position. */
export interface Word {
  text: string;
  stem: string;
  start: number;
  end: number;
}

/** A run of capitals, a capitalized or lowercase word, or a number: `readHTTPFile_2` has four. */
const parts = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|[\p{Lo}\p{Lm}]+|\p{N}+/gu;

export function wordsOf(text: string): Word[] {
  return [...text.matchAll(parts)].map(({ 0: found, index }) => ({
    text: found,
    stem: stemOf(found),
    start: index,
    end: index + found.length,
  }));
}

const stopWords = new Set(
  (
    'a about after again all also am an and any are as at be been before being but by can could did do does each else ' +
    'ever for from had has have he her here hers him his how i if in into is it its just let like may me might mine ' +
    'more most must my no nor not of off on one only or other our ours out over own please shall she should so some ' +
    'such than thank thanks that the their theirs them then there these they this those to too under until up us very ' +
    'want was we were what when where which while who whom whose why will with would yes yet you your yours'
  ).split(' '),
);

/** The unique stems of a text in order, without stop words. */
export function stemsOf(text: string): string[] {
  const stems = wordsOf(text).filter((word) => !stopWords.has(word.text.toLowerCase()));
  return [...new Set(stems.map(({ stem }) => stem))];
}

/**
 * Removes endings, so that `listing`, `listed` and `lists` become `list`. The result need not be a word, as long as it
 * is equal for forms of one word.
 */
export function stemOf(word: string): string {
  const known = stems.get(word);
  if (known !== undefined) return known;
  const lower = word.slice(0, maxWordLength).toLowerCase();
  const isWord = lower.length >= 4 && /^[a-z]+$/.test(lower);
  const stem = isWord ? withoutSilentE(withoutVerbEnding(withoutPlural(lower))) : lower;
  if (stems.size >= maxStems) stems.clear();
  if (word.length <= maxWordLength) stems.set(word, stem);
  return stem;
}

const maxWordLength = 40;
const maxStems = 20_000;
/** Cached, because the words of tools recur in every turn. */
const stems = new Map<string, string>();

function withoutPlural(word: string): string {
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(ss|x|ch|sh|z)es$/.test(word)) return word.slice(0, -2);
  return word.endsWith('s') && !/(ss|us|is)$/.test(word) ? word.slice(0, -1) : word;
}

function withoutVerbEnding(word: string): string {
  const bare = /^(.*[aeiouy].*)(ing|ed)$/.exec(word)?.[1];
  if (bare === undefined || bare.length < 3) return word;
  return /([bdfgmnprt])\1$/.test(bare) ? bare.slice(0, -1) : bare;
}

function withoutSilentE(word: string): string {
  return word.length > 4 && word.endsWith('e') ? word.slice(0, -1) : word;
}

function groups(...lines: string[]): string[][] {
  return lines.map((line) => line.split(' ').map(stemOf));
}

/** Groups of synonyms in requests. */
const alikeVerbs = groups(
  'list show display view print which',
  'get fetch retrieve read give tell',
  'find search look query locate',
  'delete remove erase drop discard destroy purge wipe',
  'create make new',
  'write save store',
  'update change edit modify set mark',
  'sum add plus total',
  'move rename',
  'compress gzip zip',
  'open view',
  'send post',
  'run execute start trigger launch',
);
const alikeThings = groups(
  'directory folder',
  'image picture photo',
  'environment env',
  'weather forecast temperature',
  'message mail',
  'person user people',
  'ticket issue',
);

const likeness = new Map<string, Set<string>>();
for (const group of [...alikeVerbs, ...alikeThings])
  for (const stem of group) likeness.set(stem, new Set([...(likeness.get(stem) ?? []), ...group]));

/** Stems of a word and its synonyms; empty without synonyms. */
export function likeOf(stem: string): ReadonlySet<string> {
  return likeness.get(stem) ?? new Set<string>();
}

const otherVerbs = groups(
  'check call use do close inspect count calculate compute convert book cancel schedule',
);

/** Stems of verbs at the start of requests. Alone they do not determine the subject of a request. */
export const verbs: ReadonlySet<string> = new Set([...alikeVerbs, ...otherVerbs].flat());
