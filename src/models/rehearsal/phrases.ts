import type { Word } from './tokenize.ts';

interface Spoken {
  text: string;
  words: Word[];
}

/** Words between a name and its value. */
const between = new Set(
  'is are equals equal to of a an the set as be being should must named called'.split(' '),
);
const endsPhrase = /[.!?;\n]|,? (?:and|then|with|using|where|but) /i;

/**
 * The word after one of the cues: `person` in "of type person" for the cue `type`. Undefined if another value, a clause
 * or the end comes first.
 */
export function wordAfter({ text, words }: Spoken, cues: readonly string[]): string | undefined {
  for (const cue of cues) {
    const at = words.findIndex(({ stem, text: word }) => stem === cue || word.toLowerCase() === cue);
    if (at < 0) continue;
    let next = at + 1;
    while (next < words.length && between.has(words[next]?.text.toLowerCase() ?? '')) next++;
    const found = words[next];
    const cueWord = words[at];
    if (!found || !cueWord || /[.!?;\n]/.test(text.slice(cueWord.end, found.start))) continue;
    return tokenAt(text, found);
  }
  return undefined;
}

/** The whole token that contains a word, since words end at hyphens and capitals. */
function tokenAt(text: string, { start }: Word): string | undefined {
  const token = /^[^\s,;!?"'“”()]{1,200}/.exec(text.slice(start, start + 200))?.[0];
  return token?.replace(/[.:]+$/, '') || undefined;
}

/** The rest of a request after its verb: `Paris in spring` in "Search for Paris in spring". */
export function phraseAfter({ text, words }: Spoken, verbStems: readonly string[]): string | undefined {
  const colon = /: +([^\n]{1,2000})/.exec(text)?.[1];
  if (colon !== undefined) return clean(colon);
  const phrase =
    /\b(?:saying|says|that reads|about|for|on|regarding|matching|containing)\b (?:that )?([^\n]{1,2000})/i.exec(
      text,
    )?.[1];
  if (phrase !== undefined) return clean(upTo(phrase));
  const at = words.findIndex(({ stem }) => verbStems.includes(stem));
  const first = words
    .slice(at + 1)
    .find(({ text: word, stem }) => !skipped.has(word.toLowerCase()) && !verbStems.includes(stem));
  // A phrase that starts with a preposition belongs to another parameter.
  const isAside = first && /^(?:with|using|to|in|at|from|by|of|and|then)$/i.test(first.text);
  return at < 0 || !first || isAside ? undefined : clean(upTo(text.slice(first.start)));
}

const skipped = new Set(
  'the a an back me us message text word words phrase string following tool tools'.split(' '),
);

function upTo(text: string): string {
  const end = endsPhrase.exec(`${text} `);
  return end ? text.slice(0, end.index) : text;
}

function clean(text: string): string | undefined {
  const bare = text
    .trim()
    .replace(/[.!?,;:]+$/, '')
    .replace(/^(?:the|a|an) /i, '')
    .trim();
  return bare === '' ? undefined : bare.slice(0, 500);
}

/** The list after a cue: `bug, urgent` in "with labels bug, urgent". */
export function wordsAfter({ text, words }: Spoken, cues: readonly string[]): string[] | undefined {
  const at = words.find(({ stem }) => cues.includes(stem));
  const rest = at && text.slice(at.end, at.end + 2000);
  const list =
    rest &&
    /^(?: (?:are|is|of|named|called)|:)? ([\w'-]{1,60}(?:(?:, (?:and |or )?| and )[\w'-]{1,60}){0,50})/.exec(
      rest,
    )?.[1];
  const items = list ? list.split(/, (?:and |or )?| and /) : [];
  return items.length > 1 || /^: /.test(rest ?? '') ? items : undefined;
}

const lists =
  /(?<![\w'-])(?:[\w'-]{1,60}(?: [\w'-]{1,60}){0,2}, ){1,50}(?:(?:and|or) )?[\w'-]{1,60}|(?<![\w'-])[\w'-]{1,60} and [\w'-]{1,60}/;

/** The items of a list in a text: "red, green and blue" has three. */
export function listIn(text: string): string[] {
  const list = lists.exec(text)?.[0];
  if (list === undefined) return [];
  const items = list.split(/, (?:and |or )?| and /).map((item) => item.trim());
  // Only the last word of the first part belongs to the list.
  const first = items[0]?.split(' ').at(-1);
  return [first ?? '', ...items.slice(1)].filter((item) => item !== '');
}
