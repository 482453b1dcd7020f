import { answeredObject } from '../json/answered.ts';
import { isObject } from '../json/value.ts';
import { cut } from '../text/show.ts';
import {
  type GoalMeasurement,
  type GroundednessMeasurement,
  goalOf,
  type Measurement,
  type Rubric,
  unmeasured,
} from './measurement.ts';

/** Maximum characters of an answer, and of the parts that are kept. */
const maxAnswerLength = 20_000;
const maxReasonLength = 1_000;
const maxClaimLength = 300;
const maxClaims = 20;

/**
 * Parses the answer of a judge model strictly: a number out of range or an unknown criterion is an error of the judge,
 * and is neither clamped nor ignored.
 */
export function readJudgeAnswer(text: string, rubric: Rubric | null | undefined): Measurement {
  if (text.length > maxAnswerLength)
    return unmeasured('error', 'answer_too_large', `The judge answered with ${text.length} characters`);
  const answer = answeredObject(text);
  if (!answer) return unmeasured('error', 'answer_not_json', 'The judge did not answer with a JSON object');
  return { goal: goalIn(answer, rubric), groundedness: groundednessIn(answer['groundedness']) };
}

function goalIn(answer: Record<string, unknown>, rubric: Rubric | null | undefined): GoalMeasurement {
  const { score, reason, rubricHits } = answer;
  const refuse = (why: string): GoalMeasurement => ({
    status: 'error',
    errorCode: 'answer_invalid',
    reason: why,
    rubricHits: [],
  });
  if (!isScore(score)) return refuse("The judge's score is not a number from 0 to 1");
  if (typeof reason !== 'string') return refuse('The judge gave no reason');
  const hits = rubricHits ?? [];
  if (!isTexts(hits)) return refuse("The judge's `rubricHits` is not a list of IDs");
  const known = new Set((rubric?.criteria ?? []).map(({ id }) => id));
  if (hits.some((id) => !known.has(id))) return refuse('The judge returned an unknown criterion ID');
  return goalOf(score, cut(reason, maxReasonLength), [...new Set(hits)], rubric);
}

function groundednessIn(answer: unknown): GroundednessMeasurement {
  const refuse = (why: string): GroundednessMeasurement => ({
    status: 'error',
    errorCode: 'answer_invalid',
    reason: why,
    unsupportedClaims: [],
  });
  if (!isObject(answer)) return refuse('The judge returned no groundedness result');
  const { score, reason = '', unsupportedClaims } = answer;
  if (!isScore(score)) return refuse('The groundedness score is not a number from 0 to 1');
  if (!isTexts(unsupportedClaims)) return refuse("The judge's `unsupportedClaims` is not a list of strings");
  if (typeof reason !== 'string') return refuse('The reason for the groundedness score is not a string');
  return {
    status: 'scored',
    score,
    reason: cut(reason, maxReasonLength),
    unsupportedClaims: unsupportedClaims.slice(0, maxClaims).map((claim) => cut(claim, maxClaimLength)),
  };
}

function isScore(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= 1;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
