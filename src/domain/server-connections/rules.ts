import { Refusal } from '../../contract/errors.ts';
import type { Db } from '../../platform/database/database.ts';
import {
  type ConnectionRow,
  countOpenConnections,
  findConnection,
} from '../../platform/database/queries/server-connections.ts';
import type { Context } from '../context.ts';

/** The request in the path, if the caller has made it. */
export async function connectionOf(context: Context, connectionRequestId: string): Promise<ConnectionRow> {
  const { organization, user } = context.actor;
  const row = await findConnection(context.db, organization.id, user.id, connectionRequestId);
  if (!row) throw noSuchRequest();
  return row;
}

const mostOpen = 5;

/** Whether one more may be open. Callers of one account stand in line here until their transaction ends. */
export async function checkOpen({ actor }: Context, db: Db): Promise<void> {
  if ((await countOpenConnections(db, actor.organization.id, actor.user.id)) >= mostOpen)
    throw new Refusal(
      'CONFLICT',
      `${mostOpen} connection requests of this account are open. Finish or cancel one`,
      { details: { code: 'ACTIVE_REQUEST_LIMIT', limit: mostOpen } },
    );
}

function noSuchRequest(): Refusal {
  return new Refusal('NOT_FOUND', 'No such connection request', { details: { code: 'REQUEST_NOT_FOUND' } });
}

export function expired(): Refusal {
  return new Refusal('CONFLICT', 'The request has expired. Make a new one', {
    details: { code: 'REQUEST_EXPIRED' },
  });
}

export function wrongState(message: string, status: string): Refusal {
  return new Refusal('CONFLICT', message, { details: { code: 'INVALID_STATE', status } });
}
