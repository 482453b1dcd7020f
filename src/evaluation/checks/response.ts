import type { Usage } from '../evidence.ts';
import { editDistance } from '../text/distance.ts';
import { compileJavaScript, maxSearched, newWork } from '../text/pattern.ts';
import { quote } from '../text/show.ts';
import { type CheckKind, failed, missing, passed } from './shared/kind.ts';

export const responseContains: CheckKind<'responseContains'> = {
  type: 'responseContains',
  stage: 'userValue',
  turnScopable: true,
  failsByAbsence: () => true,
  evaluate({ needle, caseSensitive = false }, { finalText }) {
    const contains = caseSensitive
      ? finalText.includes(needle)
      : finalText.toLowerCase().includes(needle.toLowerCase());
    if (contains) return passed(`The answer contains ${quote(needle)}`);
    return failed(
      finalText === ''
        ? `There is no answer that could contain ${quote(needle)}`
        : `The answer does not contain ${quote(needle)}: ${quote(finalText)}`,
    );
  },
};

export const responseMatches: CheckKind<'responseMatches'> = {
  type: 'responseMatches',
  stage: 'userValue',
  turnScopable: true,
  failsByAbsence: () => true,
  problem({ pattern }) {
    const compiled = compileJavaScript(pattern);
    return 'problem' in compiled
      ? { path: ['pattern'], message: `Cannot be used: ${compiled.problem}` }
      : undefined;
  },
  evaluate({ pattern }, { finalText }) {
    const compiled = compileJavaScript(pattern);
    if ('problem' in compiled) return failed(`The pattern cannot be used: ${compiled.problem}`);
    if (finalText.length > maxSearched)
      return failed(`The answer has more than ${maxSearched.toLocaleString('en')} characters`);
    const matches = compiled.pattern.test(finalText, newWork());
    if (matches === undefined) return missing('The answer is too long for a pattern of this size');
    return matches
      ? passed(`The answer matches ${quote(pattern)}`)
      : failed(`The answer does not match ${quote(pattern)}: ${quote(finalText)}`);
  },
};

const maxAnswerLength = 100_000;

/** The normalized edit distance between the answer and the reference is at most `maxDistance`. */
export const responseCloseTo: CheckKind<'responseCloseTo'> = {
  type: 'responseCloseTo',
  stage: 'userValue',
  turnScopable: true,
  failsByAbsence: () => true,
  evaluate({ reference, maxDistance, caseSensitive = false, normalizeWhitespace = false }, { finalText }) {
    if (finalText === '') return missing('There is no answer to compare');
    if (finalText.length > maxAnswerLength)
      return missing(`The answer has more than ${maxAnswerLength.toLocaleString('en')} characters`);
    const normalize = (text: string): string => {
      const folded = caseSensitive ? text : text.toLowerCase();
      return normalizeWhitespace ? folded.trim().replace(/\s+/g, ' ') : folded;
    };
    const wanted = normalize(reference);
    if (wanted === '') return missing('The reference is empty');
    const distance = editDistance(normalize(finalText), wanted);
    if (distance === undefined) return missing('The answer and the reference are too long to be compared');
    const found = `The distance of the answer from the reference is ${Number(distance.toFixed(4))}; up to ${maxDistance} allowed`;
    return distance <= maxDistance ? passed(found) : failed(`${found}: ${quote(finalText)}`);
  },
};

export const finalAssistantMessageNonEmpty: CheckKind<'finalAssistantMessageNonEmpty'> = {
  type: 'finalAssistantMessageNonEmpty',
  stage: 'userValue',
  turnScopable: true,
  failsByAbsence: () => true,
  evaluate: (_check, { finalText }) =>
    finalText.trim() === '' ? failed('The last message has no text') : passed('The last message has text'),
};

/** Question marks of Latin, Arabic and full-width scripts. */
const questionMarks = ['?', '؟', '？'];

export const noEndingQuestion: CheckKind<'noEndingQuestion'> = {
  type: 'noEndingQuestion',
  stage: 'userValue',
  turnScopable: true,
  evaluate(_check, { finalText }) {
    const end = finalText.trimEnd();
    if (!questionMarks.some((mark) => end.endsWith(mark)))
      return passed('The answer does not end with a question');
    const line = end.slice(end.lastIndexOf('\n') + 1);
    return failed(`The answer ends with a question: ${quote(line.slice(-200))}`);
  },
};

export const tokenBudgetUnder: CheckKind<'tokenBudgetUnder'> = {
  type: 'tokenBudgetUnder',
  stage: 'userValue',
  turnScopable: false,
  evaluate({ tokens }, { usage }) {
    const used = usedTokens(usage);
    if (used === undefined) return failed('The number of tokens used is unknown');
    // A model cannot answer without input tokens, so 0 means that usage was not reported.
    if (used === 0) return failed('The number of tokens used is unknown: the provider reported 0');
    const found = `${used} tokens were used; fewer than ${tokens} allowed`;
    return used < tokens ? passed(found) : failed(found);
  },
};

/** The total and the sum of input and output may disagree; the larger one counts. */
function usedTokens(usage: Usage | undefined): number | undefined {
  const { inputTokens, outputTokens, totalTokens } = usage ?? {};
  const sum =
    inputTokens === undefined || outputTokens === undefined ? undefined : inputTokens + outputTokens;
  const known = [sum, totalTokens].filter((count) => count !== undefined && Number.isFinite(count));
  return known.length === 0 ? undefined : Math.max(...(known as number[]));
}

export const turnCountUnder: CheckKind<'turnCountUnder'> = {
  type: 'turnCountUnder',
  stage: 'userValue',
  turnScopable: false,
  evaluate({ turns }, { turnCount }) {
    if (turnCount === undefined || !Number.isInteger(turnCount) || turnCount < 0)
      return failed('The number of user messages is unknown');
    const found = `The user sent ${turnCount} messages; fewer than ${turns} allowed`;
    return turnCount < turns ? passed(found) : failed(found);
  },
};
