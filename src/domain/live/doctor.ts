import type { Operations } from '../../contract/index.ts';
import type { OutputOf, StreamEvent } from '../../contract/operation.ts';
import { handedOn } from '../handed-on.ts';
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
  return handedOn<DoctorEvent>((tell) =>
    examineServer(context, reached, body, (name, check) => tell({ type: 'check', name, check })).then(
      (report) => ({ type: 'report', report }),
    ),
  );
};
