import { changeConnection } from '../../platform/database/queries/server-connections.ts';
import type { Verb } from '../verbs.ts';
import { presentConnection, statusNow } from './present.ts';
import { connectionOf, expired, wrongState } from './rules.ts';
import { withdraw } from './withdraw.ts';

export const cancelServerConnection: Verb<'cancelServerConnection'> = async (context, { requestId }) => {
  const row = await context.db.transaction(async (db) => {
    for (;;) {
      const current = await connectionOf({ ...context, db }, requestId);
      const status = statusNow(context, current);
      if (status === 'cancelled') return current;
      if (status === 'expired') throw expired();
      if (status === 'ready')
        throw wrongState('The server is connected already; delete it if it is not wanted', status);
      const cancelled = await changeConnection(db, current, { status: 'cancelled' });
      if (cancelled) {
        await withdraw(context, db, cancelled);
        return cancelled;
      }
    }
  });
  return presentConnection(context, row);
};
