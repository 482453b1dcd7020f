import { setTimeout as delay } from 'node:timers/promises';
import type { JourneyRunEvent } from '../../../contract/journey-runs.ts';
import type { StreamEvent } from '../../../contract/operation.ts';
import { sessionVerdict } from '../../../evaluation/index.ts';
import type { Db } from '../../../platform/database/database.ts';
import * as runs from '../../../platform/database/queries/journey-runs.ts';
import * as sessions from '../../../platform/database/queries/journey-sessions.ts';
import type { ProjectContext } from '../../context.ts';
import type { Verb } from '../../verb.ts';
import { turnsOf } from '../../watching.ts';
import { criteriaOf, factsOfSession } from '../grade/session-facts.ts';
import { presentAttempt, summaryOf, targetsOf } from './present.ts';
import { findRun } from './run.ts';

/** Sessions that are read at once. */
const most = 100;
/** A reader who is told of a change waits so many times as long as looking for it took, but not longer than that. */
const restFactor = 20;
const longestRest = 2_000;

/** Milliseconds after the last grading in which its wave is looked at; who follows waits no longer for that. */
const longestLook = 10_000;

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
    // The verdict is kept together with the findings, which whoever follows reads next; what was cut off has none to tell.
    const cutOff = run.error !== null || context.clock() - run.updatedAt > longestLook;
    if (graded && (run.verdict !== null || cutOff)) {
      yield { data: { type: 'run.ended', runId, at, status, summary } };
      return;
    }
    await rest(lookedFor * restFactor, gone);
  }
}

/** Sessions whose mark is another than the one that is known. */
async function changedSince(db: Db, runId: string, marks: Map<string, string>): Promise<string[]> {
  const now = await db.rows(sessions.marks, { runId });
  const changed = now.filter(({ id, mark }) => marks.get(id) !== mark);
  for (const { id, mark } of changed) marks.set(id, mark);
  return changed.map(({ id }) => id);
}

/** A part at a time: what a reader is told first may be thousands of them. */
async function* rowsOf(db: Db, ids: readonly string[]): AsyncGenerator<sessions.SessionRow> {
  for (let from = 0; from < ids.length; from += most)
    yield* await db.rows(sessions.some, { ids: ids.slice(from, from + most) });
}

/** Many readers of a large run must not keep a process from everything else. */
async function rest(ms: number, gone: AbortSignal): Promise<void> {
  await delay(Math.min(ms, longestRest), undefined, { signal: gone }).catch(() => {});
}
