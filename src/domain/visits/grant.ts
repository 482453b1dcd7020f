import type { Db } from '../../platform/database/database.ts';
import * as visitors from '../../platform/database/queries/study-visitors.ts';
import { hashToken } from '../../platform/secrets/tokens.ts';
import type { Grant } from '../context/context.ts';

/** Finds the grant of a token, if it is valid now. */
export function findGrant(db: Db, token: string): Promise<Grant | undefined> {
  return readGrant(db, hashToken(token));
}

export function grantNow(db: Db, { tokenHash }: Grant): Promise<Grant | undefined> {
  return readGrant(db, tokenHash);
}

async function readGrant(db: Db, tokenHash: Buffer): Promise<Grant | undefined> {
  const row = await db.row(visitors.openGrant, { tokenHash });
  if (!row) return undefined;
  const part = (name: string): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(row).flatMap(([field, value]) =>
        field.startsWith(`${name}.`) ? [[field.slice(name.length + 1), value]] : [],
      ),
    );
  return {
    visitor: part('visitor') as unknown as Grant['visitor'],
    study: part('study') as unknown as Grant['study'],
    project: part('project') as unknown as Grant['project'],
    tokenHash,
  };
}
