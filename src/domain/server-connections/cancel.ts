import * as connections from '../../platform/database/queries/server-connections.ts';
import { audit } from '../context/audit.ts';
import type { Verb } from '../context/verb.ts';
import { presentConnection, statusNow } from './present.ts';
import { connectionOf, expired, wrongState } from './rules.ts';
import { withdraw } from './withdraw.ts';

export const cancelServerConnection: Verb<'cancelServerConnection'> = async (
  context,
  { connectionRequestId },
) => {
  const row = await context.db.transaction(async (db) => {
    for (;;) {
      const current = await connectionOf({ ...context, db }, connectionRequestId);
      const status = statusNow(context, current);
      if (status === 'cancelled') return current;
      if (status === 'expired') throw expired();
      if (status === 'ready')
        throw wrongState('The server is connected already; delete it if it is not wanted', status);
      const cancelled = await connections.change(db, current, { status: 'cancelled' });
      if (cancelled) {
        await withdraw(context, db, cancelled);
        await audit(db, context, 'server-connection.cancel', cancelled.id);
        return cancelled;
      }
    }
  });
  return presentConnection(context, row);
};
