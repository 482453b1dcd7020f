import type { Operations } from '../../contract/index.ts';
import type { OutputOf, StreamEvent } from '../../contract/operation.ts';
import { EventQueue } from '../base/event-queue.ts';
import type { Verb } from '../context/verb.ts';
import { examineServer } from './examination.ts';
import { reach } from './reach.ts';

type DoctorEvent =
  OutputOf<Operations['watchDoctor']> extends AsyncIterable<StreamEvent<infer Event>> ? Event : never;

export const runDoctor: Verb<'runDoctor'> = async (context, { body }) =>
  examineServer(context, await reach(context, context.server, body), body);

/** Resolves the server before the stream begins, so that a refusal is a plain error response. */
export const watchDoctor: Verb<'watchDoctor'> = async (context, { body }) => {
  const reached = await reach(context, context.server, body);
  return new EventQueue<DoctorEvent>((emit) =>
    examineServer(context, reached, body, (name, check) => emit({ type: 'check', name, check })).then(
      (report) => ({ type: 'report', report }),
    ),
  ).read();
};
