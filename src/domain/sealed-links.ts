import type { Db } from '../platform/database/database.ts';
import { ownerIn } from './access.ts';
import { configuredOrigin, type ProjectContext, type Services } from './context.ts';
import { hashToken, newToken } from './identity/token.ts';

/** A link that is shown again to those who may copy it: known by its hash, and sealed. */
export interface SealedLink {
  linkSealedId: string | null;
  linkKeyId: string | null;
  linkCiphertext: Buffer | null;
}

export type LinkContext = Pick<Services, 'vault' | 'config' | 'installation'>;

export async function mintLink(
  context: ProjectContext,
  db: Db,
): Promise<{ linkHash: Buffer; linkSealedId: string }> {
  const token = newToken();
  return {
    linkHash: hashToken(token),
    linkSealedId: await context.vault.seal(db, ownerIn(context), token),
  };
}

/** The token is behind the `#`, which browsers send nobody: no log and no proxy sees it. */
export function linkTo(
  services: LinkContext,
  page: string,
  { linkSealedId: id, linkKeyId: keyId, linkCiphertext: ciphertext }: SealedLink,
): { path: string; url: string } | null {
  if (id === null || keyId === null || ciphertext === null) return null;
  const path = `${page}#${services.vault.unseal({ id, keyId, ciphertext }) as string}`;
  return { path, url: `${configuredOrigin(services)}${path}` };
}

/** What nobody can copy any more. */
export async function forgetLink(
  { vault }: Pick<Services, 'vault'>,
  db: Db,
  { linkSealedId }: Pick<SealedLink, 'linkSealedId'>,
): Promise<void> {
  if (linkSealedId !== null) await vault.forget(db, linkSealedId);
}
