import type { StreamEvent } from '../../contract/operation.ts';
import * as keys from '../../platform/database/queries/keys.ts';
import type { ConnectionRow } from '../../platform/database/queries/server-connections.ts';
import type { Context } from '../context.ts';
import type { Verb } from '../verb.ts';
import { isOver, presentConnection, type ServerConnection, statusNow } from './present.ts';
import { connectionOf } from './rules.ts';

/** Changes are announced in the database; what nobody announces, like the end of the hour, is looked for this often. */
const look = 5_000;

/** The request is read before the stream begins, so that a refusal is an answer of its own. */
export const watchServerConnection: Verb<'watchServerConnection'> = async (context, input) => {
  const { connectionRequestId, lastEventId } = input;
  const row = await connectionOf(context, connectionRequestId);
  return changesOf(context, row, lastEventId);
};

async function* changesOf(
  context: Context,
  first: ConnectionRow,
  lastEventId: string | undefined,
): AsyncGenerator<StreamEvent<ServerConnection>> {
  let wake = (): void => {};
  const gone = context.callerGone();
  gone.addEventListener('abort', () => wake(), { once: true });
  const stop = context.notifications.on('drydock_connections', (id) => {
    if (id === undefined || id === first.id) wake();
  });
  try {
    let seen = lastEventId;
    while (!gone.aborted) {
      const changed = new Promise<void>((resolve) => (wake = resolve));
      if (await revoked(context)) return;
      const row = await connectionOf(context, first.id);
      const id = `${row.version}-${statusNow(context, row)}`;
      if (id !== seen) yield { id, data: await presentConnection(context, row) };
      seen = id;
      if (isOver(context, row)) return;
      const timer = setTimeout(wake, look);
      await changed;
      clearTimeout(timer);
    }
  } finally {
    stop();
  }
}

/** A stream outlives the request that was let in; whoever comes again is told why it ended. */
async function revoked({ db, actor: { keyId } }: Context): Promise<boolean> {
  return keyId !== undefined && !(await db.row(keys.working, { id: keyId }));
}
