import { type CheckRow, evaluateCheck } from './checks/evaluate.ts';
import { matchTurn, type ShownCall, type TurnMatch } from './matching/calls.ts';
import { contradictionIn, failedStep, type TrialOutcome } from './outcome.ts';
import type { TrialPlan } from './plan.ts';
import type { EvaluationConfig } from './scores/definition.ts';
import { evaluatorErrors, gate } from './scores/gate.ts';
import { notScored, type Score } from './scores/score.ts';
import { scoreOf } from './scores/score-trial.ts';
import { type Scorer, scorecardOf, turn } from './scores/scorers.ts';
import { type StageChain, stageChain } from './stages/chain.ts';
import { type TrialWarning, warningOf } from './verdict/warnings.ts';

/** A turn as shown in the trace. */
interface GradedTurn {
  promptIndex: number;
  prompt?: string;
  expectedToolCalls: ShownCall[];
  actualToolCalls: ShownCall[];
  expectedOutput?: string;
  passed: boolean;
  missing: ShownCall[];
  unexpected: ShownCall[];
  argumentMismatches: { toolName: string; expectedArgs: unknown; actualArgs: unknown }[];
  predicateResults?: CheckRow[];
}

export interface Grade extends StageChain {
  /** `null`: the trial was not judged. */
  result: 'passed' | 'failed' | null;
  /** Why passing proves little. */
  warning?: TrialWarning;
  turns: GradedTurn[];
  /** Results of all checks: of the case, of its turns and of its assertions. */
  rows: CheckRow[];
  scores: Score[];
  evaluationConfig: EvaluationConfig;
  /** Whether a gating check could not be evaluated; `evaluatorErrors` has the reasons. */
  evaluatorError: boolean;
  evaluatorErrors: string[];
  expectedToolCalls: ShownCall[];
  actualToolCalls: ShownCall[];
}

/**
 * Grades a trial. A trial passes when it completed, no step but advisory checks failed and every gating score passes. A
 * trial that never started or was cancelled is not judged; one that was cut short is judged by its evidence and cannot
 * pass. An inconsistent record is an evaluator error.
 */
export function gradeTrial(
  plan: TrialPlan,
  ended: TrialOutcome,
  evaluate: typeof evaluateCheck = evaluateCheck,
): Grade {
  // The judge runs after the trial; until then its result is pending.
  const outcome: TrialOutcome = plan.judge ? { judge: 'pending', ...ended } : ended;
  const judged = outcome.status !== 'setup_failed' && outcome.status !== 'cancelled';
  const matches = judged ? plan.turns.map((planned) => matchOf(planned, plan, outcome)) : [];
  const { scorers, definitions: all, config, judge } = scorecardOf(plan);
  const definitions = all.filter((definition) => definition !== judge);
  const rows = judged ? rowsOf(scorers, outcome, evaluate) : new Map<Scorer, CheckRow>();
  const scored = scorers
    .filter((scorer) => scorer.measures !== 'judge')
    .map((scorer) => ({
      scorer,
      score: judged
        ? scoreOf(scorer, rows.get(scorer), { plan, outcome, matches })
        : notScored(scorer.scored, 'skipped', 'The trial was not judged'),
    }));
  const scores = scored.map(({ score }) => score);
  const contradiction = contradictionIn(plan, outcome);
  const errors =
    outcome.status === 'completed'
      ? [...(contradiction === undefined ? [] : [contradiction]), ...evaluatorErrors(definitions, scores)]
      : [];
  const allRows = [...rows.values()];
  const turns = plan.turns.map((planned, at) => gradedTurn(planned, matches[at], outcome, allRows));
  const result = judged ? resultOf(outcome, errors, gate(definitions, scores).passed) : null;
  const warning = result === 'passed' ? warningOf(plan, outcome, scored) : undefined;
  return {
    result,
    ...(warning && { warning }),
    turns,
    rows: allRows,
    scores,
    evaluationConfig: config,
    evaluatorError: errors.length > 0,
    evaluatorErrors: errors,
    ...stageChain({ plan, outcome, matches, rows: allRows, evaluatorError: errors.length > 0 }),
    expectedToolCalls: turns.flatMap(({ expectedToolCalls }) => expectedToolCalls),
    actualToolCalls: outcome.evidence.toolCalls.map(shown),
  };
}

function resultOf(
  outcome: TrialOutcome,
  errors: readonly string[],
  gatePassed: boolean,
): 'passed' | 'failed' {
  const passes = outcome.status === 'completed' && errors.length === 0 && gatePassed && !failedStep(outcome);
  return passes ? 'passed' : 'failed';
}

function matchOf(
  planned: TrialPlan['turns'][number],
  plan: TrialPlan,
  { evidence }: TrialOutcome,
): TurnMatch {
  const calls = evidence.toolCalls.filter(({ promptIndex }) => promptIndex === planned.promptIndex);
  return matchTurn({ kind: planned.kind, expected: planned.expected, calls }, plan.match, plan.isNegative);
}

/** Evaluates checks now. Assertions were evaluated during the trial, at their steps. */
function rowsOf(
  scorers: readonly Scorer[],
  outcome: TrialOutcome,
  evaluate: typeof evaluateCheck,
): Map<Scorer, CheckRow> {
  const rows = new Map<Scorer, CheckRow>();
  const steps = new Map(outcome.steps.map((step) => [step.stepId, step]));
  for (const scorer of scorers) {
    if (scorer.measures === 'check') {
      const scope = scorer.promptIndex === undefined ? undefined : turn(scorer.promptIndex);
      rows.set(scorer, evaluate(scorer.check, outcome.evidence, scope));
    } else if (scorer.measures === 'step') {
      const row = steps.get(scorer.stepId)?.row;
      if (row) rows.set(scorer, row);
    }
  }
  return rows;
}

function gradedTurn(
  { promptIndex, prompt, expected, expectedOutput }: TrialPlan['turns'][number],
  match: TurnMatch | undefined,
  { evidence }: TrialOutcome,
  rows: readonly CheckRow[],
): GradedTurn {
  const predicateResults = rows.filter(({ scope }) => scope?.promptIndex === promptIndex);
  return {
    promptIndex,
    ...(prompt !== undefined && { prompt }),
    expectedToolCalls: expected.map(shown),
    actualToolCalls: evidence.toolCalls.filter((call) => call.promptIndex === promptIndex).map(shown),
    ...(expectedOutput !== undefined && { expectedOutput }),
    passed: match?.passed ?? false,
    missing: (match?.missing ?? []).map(shown),
    unexpected: (match?.unexpected ?? []).map(shown),
    argumentMismatches: (match?.argumentMismatches ?? []).map(({ toolName, expectedArgs, actualArgs }) => ({
      toolName,
      expectedArgs,
      actualArgs,
    })),
    ...(predicateResults.length > 0 && { predicateResults }),
  };
}

function shown({ toolName, arguments: args }: ShownCall): ShownCall {
  return { toolName, arguments: args };
}
