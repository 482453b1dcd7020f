import type { JourneyRunEvent } from '../../../contract/journey-runs.ts';
import type { StreamEvent } from '../../../contract/operation.ts';
import { sessionVerdict } from '../../../evaluation/index.ts';
import * as runs from '../../../platform/database/queries/journey-runs.ts';
import * as sessions from '../../../platform/database/queries/journey-sessions.ts';
import type { ProjectContext } from '../../context.ts';
import type { Verb } from '../../verb.ts';
import { turnsOf } from '../../watching.ts';
import { criteriaOf, factsOfSession } from '../grade/session-facts.ts';
import { presentAttempt, summaryOf, targetsOf } from './present.ts';
import { findRun } from './run.ts';

/** From the tables, so any process can serve it: what has changed since the reader was last told. */
export const watchJourneyRun: Verb<'watchJourneyRun'> = async (context, { journeyRunId: runId }) =>
  eventsOf(context, await findRun(context, runId));

async function* eventsOf(
  context: ProjectContext,
  { id: runId }: runs.JourneyRunRow,
): AsyncGenerator<StreamEvent<JourneyRunEvent>> {
  const { db } = context;
  const told = new Map<string, string>();
  const isNew = (key: string, value: unknown): boolean => {
    const text = JSON.stringify(value);
    const before = told.get(key);
    told.set(key, text);
    return before !== text;
  };
  for await (const _ of turnsOf(context, runs.runsChannel, runId)) {
    const run = await db.row(runs.get, { id: runId });
    if (!run) return;
    const rows = await db.rows(sessions.listOfRun, { runId });
    const at = run.updatedAt;
    const { status } = run;
    const summary = summaryOf(run);
    const rubric = criteriaOf(run);
    const targets = targetsOf(run);
    if (isNew('run', { status, summary })) yield { data: { type: 'run.state', runId, at, status, summary } };
    for (const row of rows) {
      const attempt = presentAttempt(targets, row);
      const verdict = sessionVerdict(factsOfSession(run, rubric, row));
      if (isNew(row.id, [attempt, verdict]))
        yield { data: { type: 'session.state', runId, at, attempt, verdict } };
    }
    if (status !== 'running' && run.graded >= run.toGrade) {
      yield { data: { type: 'run.ended', runId, at, status, summary } };
      return;
    }
  }
}
