import type { StreamEvent } from '../../contract/operation.ts';
import type { ConnectionRow } from '../../platform/database/queries/server-connections.ts';
import { enterProject } from '../context/access.ts';
import type { Context } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { turnsOf } from '../context/watching.ts';
import { isOver, presentConnection, type ServerConnection, statusNow } from './present.ts';
import { connectionOf } from './rules.ts';

/** Reads the request before the stream begins, so that a refusal is a plain error response. */
export const watchServerConnection: Verb<'watchServerConnection'> = async (context, input) => {
  const { connectionRequestId, lastEventId } = input;
  const row = await connectionOf(context, connectionRequestId);
  if (row.projectId !== null) await enterProject(context, row.projectId);
  return changesOf(context, row, lastEventId);
};

async function* changesOf(
  context: Context,
  first: ConnectionRow,
  lastEventId: string | undefined,
): AsyncGenerator<StreamEvent<ServerConnection>> {
  let seen = lastEventId;
  for await (const _ of turnsOf(context, 'drydock_connections', first.id)) {
    const row = await connectionOf(context, first.id);
    const id = `${row.version}-${statusNow(context, row)}`;
    if (id !== seen) yield { id, data: await presentConnection(context, row) };
    seen = id;
    if (isOver(context, row)) return;
  }
}
