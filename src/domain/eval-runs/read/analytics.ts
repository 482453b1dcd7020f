import { Refusal } from '../../../contract/errors.ts';
import type { Operations } from '../../../contract/index.ts';
import type { OutputOf } from '../../../contract/operation.ts';
import * as outcomes from '../../../platform/database/queries/eval-run-outcomes.ts';
import { pageBy } from '../../base/paging.ts';
import { invalid } from '../../base/refusals.ts';
import type { Verb } from '../../context/verb.ts';
import { findSuite } from '../../eval-suites/suite.ts';
import { findRun } from '../find.ts';

type Analytics = OutputOf<Operations['getEvalRunStageAnalytics']>;

export const getEvalRunStageAnalytics: Verb<'getEvalRunStageAnalytics'> = async (context, input) => {
  const { id: runId } = await findRun(context, input.runId);
  const outcome = await context.db.row(outcomes.ofRun, { runId });
  if (!outcome?.stages) throw new Refusal('NOT_FOUND', 'This run has no stage analytics: it has no verdict');
  return outcome.stages as Analytics;
};

/** Upper bound: later than any run. */
const farAhead = Date.UTC(9999, 0);

export const listEvalSuiteStageAnalytics: Verb<'listEvalSuiteStageAnalytics'> = async (context, input) => {
  const { from = null, to = null, runGroupId = null } = input;
  if (from !== null && to !== null && from > to) throw invalid('from: Must not be after to');
  const { id: suiteId } = await findSuite(context, input.suiteId);
  return pageBy(context, input, {
    scope: ['eval-stage-analytics', suiteId, from, to, runGroupId],
    placeOf: ({ completedAt, runId }: outcomes.OutcomeRow) => [completedAt, runId] as const,
    fetch: (after, most) =>
      context.db.rows(outcomes.ofSuite, {
        suiteId,
        from: inRange(from),
        to: inRange(to),
        runGroupId,
        beforeTime: after?.[0] ?? farAhead,
        beforeId: after?.[1] ?? '',
        most,
      }),
    present: ({ stages }) => stages as Analytics,
  });
};

/** Clamps to a date PostgreSQL can represent. */
function inRange(time: number | null): number | null {
  return time === null ? null : Math.min(time, farAhead);
}
