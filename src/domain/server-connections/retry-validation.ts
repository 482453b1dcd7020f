import { changeConnection } from '../../platform/database/queries/server-connections.ts';
import type { Verb } from '../verbs.ts';
import { enqueueAdvance } from './advance.ts';
import { presentConnection, statusNow } from './present.ts';
import { checkOpen, connectionOf, expired, wrongState } from './rules.ts';

export const retryServerConnectionValidation: Verb<'retryServerConnectionValidation'> = async (
  context,
  { requestId },
) => {
  const row = await context.db.transaction(async (db) => {
    const current = await connectionOf({ ...context, db }, requestId);
    const status = statusNow(context, current);
    if (status === 'expired' || current.expiresAt <= context.clock()) throw expired();
    if (status !== 'failed') throw wrongState('Only a request that has failed can be tried again', status);
    if (current.error?.retryable === false)
      throw wrongState('Trying again will not help; the error says what to change', status);
    await checkOpen(context, db);
    const next = current.serverId === null ? 'discovering' : 'validating';
    const again = await changeConnection(db, current, { status: next });
    if (!again) throw wrongState('Somebody else has changed the request just now', status);
    await enqueueAdvance(db, again);
    return again;
  });
  return presentConnection(context, row);
};
