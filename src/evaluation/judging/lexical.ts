import { cut } from '../text/show.ts';
import type { JudgeEvidence } from './evidence.ts';
import {
  type GoalMeasurement,
  type GroundednessMeasurement,
  goalOf,
  type JudgedTask,
  type Measurement,
} from './measurement.ts';

/**
 * The offline judge, used without a language model. Because this judge only counts words, its scores are advisory and
 * never gate.
 */
export const lexicalJudge = 'drydock/lexical-rubric';

export function basisOf(model: string): 'model' | 'wordCount' {
  return model === lexicalJudge ? 'wordCount' : 'model';
}

const maxClaims = 20;
const maxNamed = 5;
/** Maximum characters of a compared text. The sources may have five times as many. */
const maxRead = 200_000;
/** Maximum length of a number that is normalized, and maximum number of claims checked. */
const maxNumberLength = 40;
const maxSought = 200;

const stopWords = new Set(
  (
    'a an and are as at be been but by can could do does for from had has have he her his how i if in into is it its ' +
    'me my of on or our she should so such than that the their them then there these they this to too us was ' +
    'we were what when where which who will with would you your'
  ).split(' '),
);

/** Words that negate up to `negatedWords` words after them. */
const negations = new Set('no not never none neither nor without cannot nothing nobody'.split(' '));
const negatedWords = 3;

/**
 * Judges by counting. Goal: the share of the words and numbers of the expected output and required criteria that the
 * answer contains. Groundedness: the share of the answer's numbers, quotations and names that occur in the sources.
 */
export function judgeLexically(task: JudgedTask, evidence: JudgeEvidence): Measurement {
  return { goal: goalIn(task, evidence), groundedness: groundednessIn(evidence) };
}

function goalIn(
  { expectedOutput = '', rubric }: JudgedTask,
  { finalAnswer }: JudgeEvidence,
): GoalMeasurement {
  const criteria = rubric?.criteria ?? [];
  const answerWords = new Set(wordsOf(finalAnswer));
  const wanted = new Set([
    ...wordsOf(expectedOutput),
    ...criteria.filter(({ required }) => required).flatMap(({ label }) => wordsOf(label)),
  ]);
  if (wanted.size === 0)
    return {
      status: 'skipped',
      errorCode: 'nothing_to_compare',
      reason:
        'The offline judge compares words, and the case has neither an expected output nor required criteria',
      rubricHits: [],
    };
  const missing = [...wanted].filter((word) => !answerWords.has(word));
  const hits = criteria.filter(({ label }) => {
    const words = wordsOf(label);
    return words.length > 0 && 2 * words.filter((word) => answerWords.has(word)).length >= words.length;
  });
  const found = wanted.size - missing.length;
  return goalOf(
    found / wanted.size,
    `Offline judge: the answer contains ${found} of the ${wanted.size} expected words and numbers${named('missing', missing)}`,
    hits.map(({ id }) => id),
    rubric,
  );
}

function groundednessIn({ finalAnswer, sources }: JudgeEvidence): GroundednessMeasurement {
  if (finalAnswer === '')
    return {
      status: 'skipped',
      errorCode: 'no_answer',
      reason: 'The conversation has no final answer',
      unsupportedClaims: [],
    };
  const claims = claimsOf(finalAnswer.slice(0, maxRead));
  const known = sources
    .join('\n')
    .slice(0, 5 * maxRead)
    .toLowerCase()
    // In a JSON array a comma separates numbers; elsewhere it separates thousands.
    .replace(/\[[-\d.,\s]{0,100000}\]/g, (list) => list.replaceAll(',', ', '));
  if (claims.length === 0)
    return {
      status: 'skipped',
      errorCode: 'no_claims',
      reason: 'The offline judge looks for numbers, quotations and names, and the answer has none',
      unsupportedClaims: [],
    };
  const numbers = new Set(tokensOf(known, known.length));
  const unsupported = claims.filter((claim) =>
    isNumber(claim) ? !numbers.has(normalNumber(claim)) : !occursIn(known, claim.toLowerCase()),
  );
  const supported = claims.length - unsupported.length;
  return {
    status: 'scored',
    score: supported / claims.length,
    reason: `Offline judge: ${supported} of ${claims.length} numbers, quotations and names in the answer occur in tool results or in the prompts${named('not found', unsupported)}`,
    unsupportedClaims: unsupported.slice(0, maxClaims).map((claim) => cut(claim, 300)),
  };
}

function named(what: string, items: readonly string[]): string {
  if (items.length === 0) return '';
  const more = items.length > maxNamed ? ` and ${items.length - maxNamed} more` : '';
  const shown = items.slice(0, maxNamed).map((item) => cut(item, 60));
  return `; ${what}: ${shown.join(', ')}${more}`;
}

/** Whether `sought` occurs in the text as whole words: with no letter or digit right before or after it. */
function occursIn(text: string, sought: string): boolean {
  for (let at = text.indexOf(sought); at >= 0; at = text.indexOf(sought, at + 1)) {
    const [before, after] = [text.slice(Math.max(0, at - 2), at), text.slice(at + sought.length)];
    if (!/[\p{L}\p{N}]$/u.test(before) && !/^[\p{L}\p{N}]/u.test(after.slice(0, 2))) return true;
  }
  return false;
}

const tokens = /(?<![\p{L}\p{N}])-?\p{N}+(?:[.,]\p{N}+)*|[\p{L}\p{M}][\p{L}\p{M}\p{N}]*|[.;:!?\n]/gu;

/** Lowercase words, normalized numbers and the marks between sentences. */
function tokensOf(text: string, most = maxRead): string[] {
  const plain = text
    .slice(0, most)
    .toLowerCase()
    .replace(/can['’]t\b/g, 'can not')
    .replace(/n['’]t\b/g, ' not');
  return (plain.match(tokens) ?? []).map((token) => (isNumber(token) ? normalNumber(token) : token));
}

/**
 * The words of a text without stop words. A word after a negation differs from the word itself: "not seaworthy" is not
 * "seaworthy".
 */
function wordsOf(text: string): string[] {
  const words: string[] = [];
  let negated = 0;
  for (const token of tokensOf(text)) {
    if (/^[.;:!?\n]$/.test(token)) negated = 0;
    else if (negations.has(token)) negated = negatedWords;
    else if (!stopWords.has(token)) words.push(negated-- > 0 ? `not ${token}` : token);
  }
  return words;
}

function isNumber(text: string): boolean {
  return /^-?\p{N}[\p{N}.,]*$/u.test(text);
}

function normalNumber(text: string): string {
  if (text.length > maxNumberLength) return text;
  const plain = text.replace(/,(?=\d{3}(?:\D|$))/g, '').replace(/[.,]$/, '');
  return /^\d+\.\d+$/.test(plain) ? plain.replace(/\.?0+$/, '') : plain;
}

/** Numbers, text in quotation marks, and capitalized words that do not begin a sentence; without duplicates. */
function claimsOf(text: string): string[] {
  const quotations = [...text.matchAll(/["“„«]([^"“”„«»\n]{2,200})["”»“]/gu)].map(
    (match) => match[1] as string,
  );
  const numbers = (text.match(tokens) ?? []).filter(isNumber);
  const names = [
    ...text.matchAll(/(?<=[\p{L}\p{N},;:)] )\p{Lu}[\p{L}\p{M}]+(?: \p{Lu}[\p{L}\p{M}]+)*/gu),
  ].map((match) => match[0]);
  return [...new Set([...quotations, ...numbers, ...names])].slice(0, maxSought);
}
