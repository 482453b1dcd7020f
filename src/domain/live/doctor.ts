import type { Operations } from '../../contract/index.ts';
import type { OutputOf, StreamEvent } from '../../contract/operation.ts';
import type { Verb } from '../verb.ts';
import { examineServer } from './examination.ts';
import { reach } from './reach.ts';

type DoctorEvent =
  OutputOf<Operations['watchDoctor']> extends AsyncIterable<StreamEvent<infer Event>> ? Event : never;

export const runDoctor: Verb<'runDoctor'> = async (context, { body }) =>
  examineServer(context, await reach(context, context.server, body), body);

/** The server is looked up before the stream begins, so that a refusal is an answer of its own. */
export const watchDoctor: Verb<'watchDoctor'> = async (context, { body }) => {
  const reached = await reach(context, context.server, body);
  return handedOn((tell) =>
    examineServer(context, reached, body, (name, check) => tell({ type: 'check', name, check })).then(
      (report) => ({ type: 'report', report }),
    ),
  );
};

/** What work tells on its way, as it does, and what it comes to. */
async function* handedOn(
  work: (tell: (event: DoctorEvent) => void) => Promise<DoctorEvent>,
): AsyncGenerator<StreamEvent<DoctorEvent>> {
  const told: DoctorEvent[] = [];
  let wake = (): void => {};
  const result = work((event) => {
    told.push(event);
    wake();
  });
  const over = result.then(
    () => 'over',
    () => 'over',
  );
  for (;;) {
    for (let event = told.shift(); event; event = told.shift()) yield { data: event };
    const more = new Promise<void>((resolve) => (wake = resolve));
    if ((await Promise.race([more, over])) === 'over') break;
  }
  for (const event of told) yield { data: event };
  yield { data: await result };
}
