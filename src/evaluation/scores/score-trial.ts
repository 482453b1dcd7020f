import type { CheckRow } from '../checks/evaluate.ts';
import type { TurnMatch } from '../matching/calls.ts';
import { failedStep, type TrialOutcome } from '../outcome.ts';
import type { TrialPlan } from '../plan.ts';
import { list, quote, show } from '../text/show.ts';
import type { HashedDefinition } from './definition.ts';
import { notScored, type Score, scored } from './score.ts';
import type { Scorer } from './scorers.ts';

/** The input of scorers, besides check results. */
export interface Judged {
  plan: TrialPlan;
  outcome: TrialOutcome;
  matches: readonly TurnMatch[];
}

/** The score of one scorer. `row` is the result of its check, if it was evaluated. */
export function scoreOf(
  scorer: Exclude<Scorer, { measures: 'judge' }>,
  row: CheckRow | undefined,
  judged: Judged,
): Score {
  const { scored: definition } = scorer;
  switch (scorer.measures) {
    case 'check':
      return row ? scoreOfRow(definition, row) : scoreOfUnreached(definition, judged);
    case 'step':
      return row ? scoreOfRow(definition, row) : scoreOfUnreached(definition, judged, scorer.stepId);
    case 'toolCallMatch':
      return scoreOfMatches(definition, judged);
    case 'toolErrors': {
      const failing = judged.outcome.evidence.toolErrors.map(({ toolName }) => toolName);
      return scored(
        definition,
        failing.length === 0 ? 1 : 0,
        failing.length === 0 ? 'No call of a tool failed' : `Failed: ${list(failing.map(quote))}`,
        [...new Set(failing)],
      );
    }
    case 'scriptedSteps':
      return scoreOfScript(definition, judged);
  }
}

function scoreOfRow(definition: HashedDefinition, { passed, reason, status }: CheckRow): Score {
  return status === 'error'
    ? notScored(definition, 'error', reason)
    : scored(definition, passed ? 1 : 0, reason);
}

/**
 * A case stops at its first failed step, and scorers of later steps do not apply. A step that was not reached for any
 * other reason is skipped, so the trial cannot pass without it.
 */
function scoreOfUnreached(definition: HashedDefinition, { outcome }: Judged, stepId?: string): Score {
  const stoppedAt = failedStep(outcome);
  return stoppedAt && stoppedAt.stepId !== stepId
    ? notScored(definition, 'not_applicable', `The case stopped at step ${stoppedAt.stepId}, which failed`)
    : notScored(definition, 'skipped', 'The trial ended before this step');
}

function scoreOfMatches(definition: HashedDefinition, { plan, matches }: Judged): Score {
  const expects = plan.turns.some(({ kind, expected }) => kind === 'prompt' && expected.length > 0);
  if (!expects && !plan.isNegative && plan.match.extra === null)
    return notScored(definition, 'not_applicable', 'Nothing is expected of the tool calls');
  const faults = matches.flatMap((match) => (match.passed ? [] : faultsIn(match)));
  if (matches.every(({ passed }) => passed))
    return scored(definition, 1, plan.isNegative ? 'No tool was called' : 'All expected calls were made');
  return scored(definition, 0, list(faults), faults);
}

function faultsIn({ missing, unexpected, argumentMismatches }: TurnMatch): string[] {
  return [
    ...missing.map(({ toolName }) => `${toolName} was not called`),
    ...argumentMismatches.map(
      ({ toolName, actualArgs }) => `${toolName} was called with ${show(actualArgs)}`,
    ),
    ...unexpected.map(({ toolName }) => `${quote(toolName)} was called and not expected`),
  ];
}

function scoreOfScript(definition: HashedDefinition, judged: Judged): Score {
  const scripted = new Set(judged.plan.steps.filter(({ check }) => !check).map(({ stepId }) => stepId));
  const done = judged.outcome.steps.filter(({ stepId }) => scripted.has(stepId));
  const failing = done.find(({ status }) => status === 'fail');
  // An error of a check is not a failure of the server.
  if (failing?.row?.status === 'error') return notScored(definition, 'error', failing.row.reason);
  if (failing) return scored(definition, 0, failing.reason ?? 'A step failed');
  const finished = done.filter(({ status }) => status === 'ok').length;
  return finished === scripted.size
    ? scored(definition, 1, 'All steps went well')
    : scoreOfUnreached(definition, judged);
}
