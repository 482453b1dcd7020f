import type { StorageState } from '../../browser/session.ts';
import type { Db } from '../../platform/database/database.ts';
import * as rows from '../../platform/database/queries/browser-sessions.ts';
import type { Vault } from '../../platform/secrets/vault.ts';

/** Storage state of the browser when it last slept, or of the last one with its profile. */
export async function readStorage(
  db: Db,
  vault: Vault,
  { projectId, userId, profile, sealedId }: rows.BrowserRow,
): Promise<StorageState | undefined> {
  const kept =
    profile === null ? undefined : await db.row(rows.findProfile, { projectId, userId, name: profile });
  const id = profile === null ? sealedId : (kept?.sealedId ?? null);
  return id === null ? undefined : ((await vault.open(db, id)) as StorageState);
}

/** Seals the storage state, in the profile if there is one. Otherwise returns the ID for the session row. */
export async function keepStorage(
  db: Db,
  vault: Vault,
  { organizationId, projectId, userId, profile }: rows.BrowserRow,
  state: StorageState,
): Promise<string | null> {
  const sealedId = await vault.seal(db, { organizationId, projectId }, state);
  if (profile === null) return sealedId;
  await db.run(rows.saveProfile, { projectId, userId, name: profile, sealedId });
  return null;
}
