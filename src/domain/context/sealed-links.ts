import type { Db } from '../../platform/database/database.ts';
import { hashToken, newToken } from '../../platform/secrets/tokens.ts';
import { ownerIn } from './access.ts';
import { configuredOrigin, type ProjectContext, type Services } from './context.ts';

/** A link that can be shown again: looked up by hash, stored sealed. */
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

/** The token is in the fragment, which browsers do not send, so it stays out of logs and proxies. */
export function linkTo(
  services: LinkContext,
  page: string,
  { linkSealedId: id, linkKeyId: keyId, linkCiphertext: ciphertext }: SealedLink,
): { path: string; url: string } | null {
  if (id === null || keyId === null || ciphertext === null) return null;
  const path = `${page}#${services.vault.unseal({ id, keyId, ciphertext }) as string}`;
  return { path, url: `${configuredOrigin(services)}${path}` };
}

/** Deletes the sealed token of a link that can no longer be copied. */
export async function forgetLink(
  { vault }: Pick<Services, 'vault'>,
  db: Db,
  { linkSealedId }: Pick<SealedLink, 'linkSealedId'>,
): Promise<void> {
  if (linkSealedId !== null) await vault.forget(db, linkSealedId);
}
