import { likeOf, stemOf, verbs, wordsOf } from './tokenize.ts';

/** Whether a sentence requests something, asks a question, or makes a statement. */
export type Intent = 'request' | 'question' | 'statement';

function stems(words: string): ReadonlySet<string> {
  return new Set(words.split(' ').map(stemOf));
}

/** Words at the start of sentences that request nothing. */
const remarks =
  /^(?:thanks?|thx|cheers|hello|hi|hey|dear|good|great|nice|perfect|wonderful|awesome|excellent|lovely|well|bye|goodbye|farewell|welcome|sorry|congratulations|congrats|yes|yeah|yep|no|nope|never|ok|okay|sure|fine|right|correct|wow|oh|ah|see you|have a|take care|nothing|never ?mind|forget it|i|we|he|she|it|they|you|that|this|these|those|there|my|our|his|her|its|their|your|the|an?)\b/i;
/** Words anywhere in a sentence that mark it as a request. */
const asks =
  /\b(?:please|kindly|(?:can|could|would|will) you|(?:i|we) (?:want|need|wish|would like|'?d like)|(?:i|we)['’]d like|(?:i|we)(?:['’]m| am| are|['’]re) (?:looking|trying|searching)|help me|let(?:['’]s| us)|you (?:should|must|can|may)|go ahead)\b/i;
const questions =
  /^(?:and |but |so |also )?(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|am|do|does|did|has|have|had|can|could|would|will|should|shall|may|might|any)\b/i;
const negation =
  /\b(?:don['’]?t|do not|does not|doesn['’]?t|did not|didn['’]?t|never|without|instead of|rather than|avoid|not|must not|cannot|can['’]?t|won['’]?t|no need to|stop|refrain from)\b[^.;!?\n]{0,20}$/i;

const forbids = /^(?:please |kindly )?(?:do not|don['’]?t|never)\b/i;
const wonders = /^(?:should|shall|may|must|can|could|do) (?:i|we)\b/i;

export function intentOf(text: string): Intent {
  const trimmed = text.trim();
  if (forbids.test(trimmed)) return 'statement';
  if (asks.test(trimmed) && !wonders.test(trimmed)) return 'request';
  if (questions.test(trimmed) || /\?\s*$/.test(trimmed)) return 'question';
  return remarks.test(trimmed) && !isNominal(trimmed) ? 'statement' : 'request';
}

/** A noun phrase without a verb, like "The weather in Kiel". */
function isNominal(text: string): boolean {
  return /^(?:the|an?|my|our|this|that|these|those)\b/i.test(text) && !predicate.test(text);
}

const predicate =
  /\b(?:is|are|was|were|am|be|been|has|have|had|did|does|do|will|would|can|could|should|must|may|might|seems?|looks?|went|got|came|works?|[a-z]{3,}ed)\b/i;

const destructive = stems(
  'delete remove erase drop discard purge destroy wipe clear kill terminate uninstall revoke truncate reset cancel close archive disable',
);
const reading = stems(
  'list show display view print get fetch retrieve read give tell find search look query locate check inspect count calculate compute convert describe explain sum add plus total compare validate preview',
);
const acting = stems(
  'create make new write save store update change edit modify set move rename send post run execute start trigger launch open book schedule upload publish deploy import merge approve assign mark rotate restart stop pay transfer',
);
const saysDestructive =
  /\b(?:destr(?:oy|uctive)\w*|delet\w+|erase\w*|irreversibl\w+|permanently|cannot be undone)\b/i;

export type Effect = 'reads' | 'acts' | 'destroys';

/**
 * The effect of a tool. The verbs of its name decide; the description can only make a tool destructive that no verb
 * marks as reading.
 */
export function effectOf(nameStems: readonly string[], description: string): Effect {
  if (nameStems.some((stem) => destructive.has(stem))) return 'destroys';
  if (nameStems.some((stem) => reading.has(stem))) return 'reads';
  if (saysDestructive.test(description)) return 'destroys';
  return nameStems.some((stem) => acting.has(stem)) ? 'acts' : 'reads';
}

/**
 * Words that may precede the verb of a request. Each occurs once, which keeps the regular expression unambiguous and
 * fast.
 */
const beforeVerb =
  /^(?:[^\p{L}]|(?:please|kindly|now|then|also|and|so|just|first|next|finally|ok|okay|yes|go|ahead|can|could|would|will|you|i|we|want|need|wish|like|d|to|this|let|lets|s|help|me|us|should|must|may|hey|hi|hello|thanks?)(?!\p{L}))*$/iu;

function mayPrecede(before: string): boolean {
  return beforeVerb.test(before) && !wonders.test(before.trim());
}

/** The verbs of a tool: those of its name and their synonyms. */
export function verbsOf(nameStems: readonly string[]): ReadonlySet<string> {
  const own = nameStems.filter((stem, at) => at === 0 || destructive.has(stem) || verbs.has(stem));
  return new Set(own.flatMap((stem) => [stem, ...likeOf(stem)]));
}

/** Whether a text commands one of the verbs: "delete it", but not "it was deleted" or "do not delete it". */
export function commands(text: string, wanted: ReadonlySet<string>): boolean {
  return wordsOf(text).some(
    ({ text: word, stem, start }) =>
      wanted.has(stem) && !/(?:ed|ing)$/i.test(word) && mayPrecede(sentenceBefore(text, start)),
  );
}

/** Whether a text forbids one of the verbs. */
export function denies(text: string, wanted: ReadonlySet<string>): boolean {
  return wordsOf(text).some(
    ({ stem, start }) => wanted.has(stem) && negation.test(sentenceBefore(text, start)),
  );
}

const maxOpeningLength = 200;

function sentenceBefore(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - maxOpeningLength), at);
  return before.slice(1 + Math.max(...['.', '!', '?', ';', '\n'].map((end) => before.lastIndexOf(end))));
}
