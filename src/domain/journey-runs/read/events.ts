import { setTimeout as delay } from 'node:timers/promises';
import type { JourneyRunEvent } from '../../../contract/journey-runs.ts';
import type { StreamEvent } from '../../../contract/operation.ts';
import { sessionVerdict } from '../../../evaluation/index.ts';
import type { Db } from '../../../platform/database/database.ts';
import * as runs from '../../../platform/database/queries/journey-runs.ts';
import * as sessions from '../../../platform/database/queries/journey-sessions.ts';
import type { ProjectContext } from '../../context/context.ts';
import type { Verb } from '../../context/verb.ts';
import { turnsOf } from '../../context/watching.ts';
import { criteriaOf, factsOfSession } from '../grade/session-facts.ts';
import { presentAttempt, summaryOf, targetsOf } from './present.ts';
import { findRun } from './run.ts';

/** Sessions read at once. */
const batchSize = 100;
/** After each change, the reader pauses this many times as long as the query took, up to `maxRest` milliseconds. */
const restFactor = 20;
const maxRest = 2_000;

/** Milliseconds to wait for the analysis of the wave after the last grading. */
const maxWait = 10_000;

/** Streams from the tables, so any process can serve it: what changed since the last event. */
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
  const marks = new Map<string, string>();
  const gone = context.callerGone();
  for await (const _ of turnsOf(context, runs.runsChannel, runId)) {
    const startedAt = performance.now();
    const run = await db.row(runs.get, { id: runId });
    if (!run) return;
    const changed = await changedSince(db, runId, marks);
    const lookedFor = performance.now() - startedAt;
    const at = run.updatedAt;
    const { status } = run;
    const summary = summaryOf(run);
    const rubric = criteriaOf(run);
    const targets = targetsOf(run);
    if (isNew('run', { status, summary })) yield { data: { type: 'run.state', runId, at, status, summary } };
    for await (const row of rowsOf(db, changed)) {
      const attempt = presentAttempt(targets, row);
      const verdict = sessionVerdict(factsOfSession(run, rubric, row));
      if (isNew(row.id, [attempt, verdict]))
        yield { data: { type: 'session.state', runId, at, attempt, verdict } };
    }
    const graded = status !== 'running' && run.graded >= run.toGrade;
    // The verdict is stored together with the findings, which readers fetch next. The stream does not wait for it if
    // the run ended early, or if nothing has changed for `maxWait`.
    const cutOff = run.error !== null || context.clock() - run.updatedAt > maxWait;
    if (graded && (run.verdict !== null || cutOff)) {
      yield { data: { type: 'run.ended', runId, at, status, summary } };
      return;
    }
    await rest(lookedFor * restFactor, gone);
  }
}

/** Sessions whose change mark differs from the known one. */
async function changedSince(db: Db, runId: string, marks: Map<string, string>): Promise<string[]> {
  const now = await db.rows(sessions.marks, { runId });
  const changed = now.filter(({ id, mark }) => marks.get(id) !== mark);
  for (const { id, mark } of changed) marks.set(id, mark);
  return changed.map(({ id }) => id);
}

/** Reads in batches: the first event may cover thousands of sessions. */
async function* rowsOf(db: Db, ids: readonly string[]): AsyncGenerator<sessions.SessionRow> {
  for (let from = 0; from < ids.length; from += batchSize)
    yield* await db.rows(sessions.some, { ids: ids.slice(from, from + batchSize) });
}

/** Throttles polling, so that many readers of a large run do not saturate the process. */
async function rest(ms: number, gone: AbortSignal): Promise<void> {
  await delay(Math.min(ms, maxRest), undefined, { signal: gone }).catch(() => {});
}
