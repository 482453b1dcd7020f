import { Refusal } from '../../contract/errors.ts';
import { type ConnectionRow, findConnection } from '../../platform/database/queries/server-connections.ts';
import type { Context } from '../context.ts';

/** The request in the path, if the caller has made it. */
export async function connectionOf(context: Context, requestId: string): Promise<ConnectionRow> {
  const { organization, user } = context.actor;
  const row = await findConnection(context.db, organization.id, user.id, requestId);
  if (!row) throw noSuchRequest();
  return row;
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
