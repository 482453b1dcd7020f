import type { TrialStatus } from '../lifecycle.ts';
import type { ExecutionVariant } from './decision.ts';

/** A case with one model, its number of trials and its threshold. */
export interface ConfiguredVariant {
  caseId: string;
  executionVariant?: ExecutionVariant | undefined;
  configuredTrials: number;
  passThreshold: number;
}

/** One trial of a variant and its progress. */
export interface TrialRecord {
  caseId: string;
  executionVariant?: ExecutionVariant | undefined;
  status: TrialStatus;
  result: 'passed' | 'failed' | null;
  evaluatorError: boolean;
}

/** Whether a trial counts in rates: it completed and was judged. */
export function isMeasured({
  status,
  result,
  evaluatorError,
}: Pick<TrialRecord, 'status' | 'result' | 'evaluatorError'>): boolean {
  return status === 'completed' && result !== null && !evaluatorError;
}

const maxCases = 500;
const maxVariants = 50_000;
const maxTrials = 100;
const caseIdPattern = /^[A-Za-z0-9_-]{1,128}$/;

export function variantKey({
  caseId,
  executionVariant,
}: Pick<TrialRecord, 'caseId' | 'executionVariant'>): string {
  return JSON.stringify([caseId, executionVariant?.model, executionVariant?.provider]);
}

/** Why these trials cannot be decided. */
export function policyProblem(
  variants: readonly ConfiguredVariant[],
  trials: readonly TrialRecord[],
): string | undefined {
  return problemOfVariants(variants) ?? problemOfTrials(variants, trials);
}

function problemOfVariants(variants: readonly ConfiguredVariant[]): string | undefined {
  if (variants.length === 0) return 'No case is configured';
  if (variants.length > maxVariants) return `There are more than ${maxVariants} variants of cases`;
  const seen = new Set<string>();
  /** Whether the variants of a case name models, by case. All variants of a case must agree. */
  const naming = new Map<string, boolean>();
  for (const variant of variants) {
    const { caseId, executionVariant, configuredTrials, passThreshold } = variant;
    if (!caseIdPattern.test(caseId)) return `A case has the ID ${JSON.stringify(caseId.slice(0, 128))}`;
    if (!Number.isInteger(configuredTrials) || configuredTrials < 1 || configuredTrials > maxTrials)
      return `Case ${caseId} is configured for ${configuredTrials} trials`;
    if (!(passThreshold >= 0 && passThreshold <= 1)) return `Case ${caseId} has no threshold from 0 to 1`;
    const key = variantKey(variant);
    if (seen.has(key)) return `Case ${caseId} is configured twice for the same model`;
    seen.add(key);
    const names = executionVariant !== undefined;
    if ((naming.get(caseId) ?? names) !== names)
      return `Case ${caseId} is configured both with and without a model`;
    naming.set(caseId, names);
  }
  return naming.size > maxCases ? `There are more than ${maxCases} cases` : undefined;
}

function problemOfTrials(
  variants: readonly ConfiguredVariant[],
  trials: readonly TrialRecord[],
): string | undefined {
  const left = new Map(variants.map((variant) => [variantKey(variant), variant.configuredTrials]));
  for (const trial of trials) {
    const key = variantKey(trial);
    const more = left.get(key);
    const name = trial.caseId.slice(0, 128);
    if (more === undefined) return `There is a trial of case ${name}, which is not configured for it`;
    if (more === 0) return `Case ${name} has more trials than are configured`;
    left.set(key, more - 1);
  }
  return undefined;
}
