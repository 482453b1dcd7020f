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
      throw wrongState('The request waits for tokens, and goes on by itself when they are imported', status);
    if (status !== 'failed') throw wrongState('Only a request that has failed can be tried again', status);
    if (current.error?.retryable === false)
      throw wrongState('Trying again will not help; the error says what to change', status);
    await checkOpen(context, db);
    const next = current.serverId === null ? 'discovering' : 'validating';
    const again = await connections.change(db, current, { status: next });
    if (!again) throw wrongState('Somebody else has changed the request just now', status);
    await enqueueAdvance(db, again);
    await audit(db, context, 'server-connection.retry', again.id);
    return again;
  });
  return presentConnection(context, row);
};
