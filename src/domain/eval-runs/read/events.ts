import type { RunEvent } from '../../../contract/eval-iterations.ts';
import type { StreamEvent } from '../../../contract/operation.ts';
import * as runs from '../../../platform/database/queries/eval-runs.ts';
import type { ProjectContext } from '../../context.ts';
import { invalid } from '../../invalid.ts';
import type { Verb } from '../../verb.ts';
import { turnsOf } from '../../watching.ts';
import { isOpen } from '../execute/decide.ts';
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
  for await (const _ of turnsOf(context, 'drydock_eval_runs', runId)) {
    for (;;) {
      // The run first: if it is over, all its events are there.
      const run = await findRun(context, runId);
      const rows = await context.db.rows(runs.eventsAfter, { runId, after, most: page });
      for (const { number, data } of rows) {
        after = number;
        yield { id: String(number), data: data as RunEvent };
      }
      if (rows.length === page) continue;
      if (!isOpen(run.status)) return;
      break;
    }
  }
}
