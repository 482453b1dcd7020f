import { Refusal } from '../../contract/errors.ts';
import type { Db } from '../../platform/database/database.ts';
import * as connections from '../../platform/database/queries/server-connections.ts';
import { conflict } from '../base/refusals.ts';
import type { Context } from '../context/context.ts';

/** The caller's own request, if the caller still has access to its project. */
export async function connectionOf({ db, actor }: Context, id: string): Promise<connections.ConnectionRow> {
  const row = await db.row(connections.find, { ...accountOf(actor), role: actor.role, id });
  if (row) return row;
  throw new Refusal('NOT_FOUND', 'No connection request with this ID for your account', {
    details: { code: 'REQUEST_NOT_FOUND' },
  });
}

function accountOf({ organization, user }: Context['actor']): { organizationId: string; userId: string } {
  return { organizationId: organization.id, userId: user.id };
}

const maxOpen = 5;

/** Limits open requests per account. Locks the account until the transaction ends. */
export async function checkOpen({ actor }: Context, db: Db): Promise<void> {
  const account = accountOf(actor);
  await db.row(connections.lockUser, account);
  if ((await db.one(connections.count, account)).count >= maxOpen)
    throw conflict(
      `${maxOpen} connection requests of this account are open. Finish or cancel one`,
      'ACTIVE_REQUEST_LIMIT',
      { limit: maxOpen },
    );
}

export function expired(): Refusal {
  return conflict('The request has expired. Create a new one', 'REQUEST_EXPIRED');
}

export function wrongState(message: string, status: string): Refusal {
  return conflict(message, 'INVALID_STATE', { status });
}
