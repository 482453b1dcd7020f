import type { RunEvent } from '../../../contract/eval-iterations.ts';
import type { StreamEvent } from '../../../contract/operation.ts';
import * as runEvents from '../../../platform/database/queries/eval-run-events.ts';
import { invalid } from '../../base/refusals.ts';
import type { ProjectContext } from '../../context/context.ts';
import type { Verb } from '../../context/verb.ts';
import { turnsOf } from '../../context/watching.ts';
import { isOpen } from '../is-open.ts';
import { findRun } from './find.ts';

const pageSize = 500;

/** Streams from the table, so any process can serve it; event IDs are sequence numbers. */
export const watchEvalRun: Verb<'watchEvalRun'> = async (context, { runId, lastEventId }) => {
  const { id, events } = await findRun(context, runId);
  // A `Last-Event-ID` from a longer run would skip this run's events up to that number.
  if (lastEventId !== undefined && !(/^\d{1,9}$/.test(lastEventId) && Number(lastEventId) < events))
    throw invalid('Last-Event-ID: Not an ID of an event of this run');
  return eventsOf(context, id, lastEventId === undefined ? -1 : Number(lastEventId));
};

async function* eventsOf(
  context: ProjectContext,
  runId: string,
  from: number,
): AsyncGenerator<StreamEvent<RunEvent>> {
  let after = from;
  for await (const _ of turnsOf(context, runEvents.eventsChannel, runId)) {
    let rows = await context.db.rows(runEvents.eventsAfter, { runId, after, most: pageSize });
    // The run was over before the request, or has been deleted. If it is over, all its events exist now.
    const over = rows.length === 0 && !isOpen((await findRun(context, runId)).status);
    if (over) rows = await context.db.rows(runEvents.eventsAfter, { runId, after, most: pageSize });
    for (;;) {
      yield* rows.map(({ number, data }) => ({ id: String(number), data: data as RunEvent }));
      const last = rows.at(-1);
      if ((last?.data as RunEvent | undefined)?.type === 'run.decided') return;
      after = last?.number ?? after;
      if (rows.length < pageSize) break;
      rows = await context.db.rows(runEvents.eventsAfter, { runId, after, most: pageSize });
    }
    if (over) return;
  }
}
