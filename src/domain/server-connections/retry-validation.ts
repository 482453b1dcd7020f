import * as connections from '../../platform/database/queries/server-connections.ts';
import { audit } from '../context/audit.ts';
import type { Verb } from '../context/verb.ts';
import { enqueueAdvance } from './advance.ts';
import { presentConnection, statusNow } from './present.ts';
import { checkOpen, connectionOf, expired, wrongState } from './rules.ts';

export const retryServerConnectionValidation: Verb<'retryServerConnectionValidation'> = async (
  context,
  { connectionRequestId },
) => {
  const row = await context.db.transaction(async (db) => {
    const current = await connectionOf({ ...context, db }, connectionRequestId);
    const status = statusNow(context, current);
    if (status === 'expired' || current.expiresAt <= context.clock()) throw expired();
    if (status === 'awaiting_authorization')
      throw wrongState(
        'The request is waiting for tokens and continues automatically when they are imported',
        status,
      );
    if (status !== 'failed') throw wrongState('Only a failed request can be retried', status);
    if (current.error?.retryable === false)
      throw wrongState(
        'This error cannot be retried. Make the change it describes, then create another request',
        status,
      );
    await checkOpen(context, db);
    const next = current.serverId === null ? 'discovering' : 'validating';
    const again = await connections.change(db, current, { status: next });
    if (!again) throw wrongState('Another call has just changed the request. Reload it', status);
    await enqueueAdvance(db, again);
    await audit(db, context, 'server-connection.retry', again.id);
    return again;
  });
  return presentConnection(context, row);
};
