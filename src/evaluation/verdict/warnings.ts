import type { TrialOutcome } from '../outcome.ts';
import type { TrialPlan } from '../plan.ts';
import type { Score } from '../scores/score.ts';
import type { Scorer } from '../scores/scorers.ts';
import { stageOfCheck } from '../stages/faults.ts';

/** The reason a passed trial proves little. */
export type TrialWarning =
  /** No gating check, expected tool call or judge applied. */
  | 'nothing_checked'
  /** Only absence of tool errors was checked, and no tools were offered. */
  | 'no_tools_offered'
  /** The trial was reported as passed together with an error or a failed gating score. */
  | 'reported_with_failure';

interface Warning {
  code: TrialWarning | 'judge_only_advised' | 'no_trial_passed' | 'trials_excluded' | 'trials_not_run';
  message: string;
}

/** The warning of a passed trial; undefined if its checks prove enough, or a gating judge decides. */
export function warningOf(
  { judge, turns }: TrialPlan,
  { evidence }: TrialOutcome,
  scored: readonly { scorer: Scorer; score: Score }[],
): TrialWarning | undefined {
  if (judge) return undefined;
  const gatingScores = scored.filter(
    ({ scorer, score }) => scorer.scored.definition.role === 'gating' && score.status === 'scored',
  );
  const prompts = turns.some(({ kind }) => kind === 'prompt');
  const answered = !prompts || evidence.finalText.trim() !== '';
  const meaningful = gatingScores.filter(
    ({ scorer }) => scorer.measures !== 'toolErrors' || (evidence.toolCalls.length > 0 && answered),
  );
  if (meaningful.length === 0) return 'nothing_checked';
  const { inventory, toolCalls } = evidence;
  const offered = inventory.state !== 'complete' || inventory.items.length > 0 || toolCalls.length > 0;
  return offered || meaningful.some(({ scorer }) => needsNoTool(scorer)) ? undefined : 'no_tools_offered';
}

/** Whether a scorer can fail without any tool call. */
function needsNoTool(scorer: Scorer): boolean {
  if (scorer.measures === 'scriptedSteps' || scorer.measures === 'judge') return true;
  return 'check' in scorer && stageOfCheck(scorer.check) === 'userValue';
}

const messages: Readonly<Record<TrialWarning, (where: string) => string>> = {
  nothing_checked: (where) =>
    `Nothing was checked${where}: no gating check, expected tool call or judge applied. Add one so that the result means something.`,
  no_tools_offered: (where) => `Nothing was checked${where}: the servers offered no tools.`,
  reported_with_failure: (where) =>
    `A failure was reported${where}: an error or a failed gating score came with the result "passed".`,
};

export function trialWarning(code: TrialWarning): Warning {
  return { code, message: messages[code]('') };
}

/** A case with one model, and the number of its passed trials per warning. */
interface WarnedCase {
  title: string;
  passed: number;
  trials: number;
  threshold: number;
  /** Trials excluded from the rate. */
  excluded?: number | undefined;
  warnings?: Partial<Record<TrialWarning, number>> | undefined;
}

const maxNamed = 3;

/** The warnings of a decided run. */
export function runWarnings(
  cases: readonly WarnedCase[],
  passed: boolean,
  { judgeOnlyAdvised = false, excludesTrials = true } = {},
): Warning[] {
  const codes = Object.keys(messages) as TrialWarning[];
  const found = codes.flatMap((code): Warning[] => {
    const warned = cases.filter(({ warnings }) => (warnings?.[code] ?? 0) > 0);
    const count = warned.reduce((sum, { warnings }) => sum + (warnings?.[code] ?? 0), 0);
    if (warned.length === 0) return [];
    return [{ code, message: messages[code](` in ${passedTrials(count)} of ${named(warned)}`) }];
  });
  if (passed && judgeOnlyAdvised) found.push(withoutJudge);
  const incomplete = passed && excludesTrials ? cases.filter(({ excluded = 0 }) => excluded > 0) : [];
  if (incomplete.length > 0) found.push(excludedWarning(incomplete));
  const empty = passed ? cases.filter((one) => one.passed === 0 && one.threshold === 0) : [];
  if (empty.length > 0)
    found.push({
      code: 'no_trial_passed',
      message: `No trial of ${named(empty)} passed. The run counts as passed because a pass rate of 0% is enough.`,
    });
  return found;
}

const withoutJudge: Warning = {
  code: 'judge_only_advised',
  message:
    'The judge of the suite did not affect the verdict: no language model is available, and the offline judge is advisory only.',
};

/** The warning of a run that passed although some trials are not in its pass rate. */
function excludedWarning(cases: readonly WarnedCase[]): Warning {
  const excluded = cases.reduce((sum, one) => sum + (one.excluded ?? 0), 0);
  const all = cases.reduce((sum, one) => sum + one.trials, excluded);
  const message = `${excluded} of ${all} trials of ${named(cases)} did not complete or could not be judged. The pass rate excludes them.`;
  return { code: 'trials_excluded', message };
}

/** The warning of a run that ended before all its trials did. */
export function notRunWarning(trials: number, finished: number): Warning[] {
  const left = trials - finished;
  if (left <= 0) return [];
  const message = `${left} of ${trials} trials ${left === 1 ? 'was' : 'were'} not carried out.`;
  return [{ code: 'trials_not_run', message }];
}

function passedTrials(count: number): string {
  return count === 1 ? '1 passed trial' : `${count} passed trials`;
}

function named(cases: readonly WarnedCase[]): string {
  const names = [...new Set(cases.map(({ title }) => JSON.stringify(title.slice(0, 80))))];
  const more = names.length - maxNamed;
  const shown = names.slice(0, maxNamed).join(', ');
  return more > 0 ? `${shown} and ${more} more ${more === 1 ? 'case' : 'cases'}` : shown;
}
