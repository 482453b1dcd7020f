import type { RunEvent } from '../../../contract/eval-iterations.ts';
import type { StreamEvent } from '../../../contract/operation.ts';
import * as runEvents from '../../../platform/database/queries/eval-run-events.ts';
import type { ProjectContext } from '../../context.ts';
import { invalid } from '../../invalid.ts';
import type { Verb } from '../../verb.ts';
import { turnsOf } from '../../watching.ts';
import { isOpen } from '../is-open.ts';
import { findRun } from './find.ts';

const page = 500;

/** From the table, so any process can serve it: the number of an event is its id. */
export const watchEvalRun: Verb<'watchEvalRun'> = async (context, { runId, lastEventId }) => {
  const { id, events } = await findRun(context, runId);
  // One of a longer run would have the reader miss what comes until then.
  if (lastEventId !== undefined && !(/^\d{1,9}$/.test(lastEventId) && Number(lastEventId) < events))
    throw invalid('Last-Event-ID: Not an id of an event of this run');
  return eventsOf(context, id, lastEventId === undefined ? -1 : Number(lastEventId));
};

async function* eventsOf(
  context: ProjectContext,
  runId: string,
  from: number,
): AsyncGenerator<StreamEvent<RunEvent>> {
  let after = from;
  for await (const _ of turnsOf(context, runEvents.eventsChannel, runId)) {
    let rows = await context.db.rows(runEvents.eventsAfter, { runId, after, most: page });
    // Over before it was asked for, or deleted. If it is over, all its events are there now.
    const over = rows.length === 0 && !isOpen((await findRun(context, runId)).status);
    if (over) rows = await context.db.rows(runEvents.eventsAfter, { runId, after, most: page });
    for (;;) {
      yield* rows.map(({ number, data }) => ({ id: String(number), data: data as RunEvent }));
      const last = rows.at(-1);
      if ((last?.data as RunEvent | undefined)?.type === 'run.decided') return;
      after = last?.number ?? after;
      if (rows.length < page) break;
      rows = await context.db.rows(runEvents.eventsAfter, { runId, after, most: page });
    }
    if (over) return;
  }
}
