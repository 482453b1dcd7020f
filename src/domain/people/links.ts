import { Refusal } from '../../contract/errors.ts';
import type { Db } from '../../platform/database/database.ts';
import * as links from '../../platform/database/queries/console-links.ts';
import { newId } from '../../platform/ids.ts';
import { hashToken, newToken } from '../../platform/secrets/tokens.ts';
import { isStillAllowed, refusalFor } from './link-makers.ts';

const hour = 3_600_000;
/** Lifetimes of links in milliseconds. */
const lifetimes: Record<links.LinkRow['kind'], number> = {
  'sign-in': 24 * hour,
  invitation: 7 * 24 * hour,
  reset: hour,
  email: 24 * hour,
};

type ForAccount =
  | { kind: 'sign-in'; userId: string }
  /** `organizationId`: set if an administrator of that organization makes the link. */
  | { kind: 'reset'; userId: string; organizationId?: string }
  | { kind: 'email'; userId: string; email: string };
type ForAddress = {
  kind: 'invitation';
  email: string;
  organizationId: string;
  role: NonNullable<links.LinkRow['role']>;
};

export interface MadeLink {
  id: string;
  token: string;
  createdAt: number;
  expiresAt: number;
}

/**
 * Stores a hash only; the token is returned once. `madeBy` is null for the command line. Refuses creators without
 * permission.
 */
export async function makeLink(
  db: Db,
  link: ForAccount | ForAddress,
  madeBy: string | null,
  now: number,
): Promise<MadeLink> {
  const made = { id: newId('lnk', now), expiresAt: now + lifetimes[link.kind] };
  const token = newToken();
  const nothing = { userId: null, email: null, organizationId: null, role: null };
  const row = { ...nothing, ...link, ...made, hash: hashToken(token), madeBy };
  const refusal = await refusalFor(db, row);
  if (refusal) throw refusal;
  return { ...made, token, ...(await db.one(links.insert, row)) };
}

/**
 * The token is in the fragment, which browsers do not send: it stays out of logs and proxies, and mail scanners
 * cannot use it up.
 */
export function addressOfLink(origin: string, token: string): string {
  return `${origin}/console/enter#${token}`;
}

/** Finds the link of a token, if it is valid and its creator still has the permission. */
export async function openLink(db: Db, token: string, now: number) {
  const link = await db.row(links.find, { hash: hashToken(token) });
  if (!link) throw deadLink('UNKNOWN');
  if (link.usedAt !== null) throw deadLink('USED');
  if (link.withdrawnAt !== null) throw deadLink('WITHDRAWN');
  if (link.expiresAt <= now) throw deadLink('EXPIRED');
  if (!(await isStillAllowed(db, link))) throw deadLink('MAKER_NOT_ALLOWED');
  return link;
}

const words = {
  UNKNOWN: 'This link is not valid. Part of it may be missing',
  USED: 'This link has already been used. It works only once',
  WITHDRAWN: 'This link was revoked. Ask for a new one',
  MAKER_NOT_ALLOWED: 'The creator of this link no longer has the required permission. Ask for a new one',
  EXPIRED: 'This link has expired. Ask for a new one',
};

export function deadLink(reason: keyof typeof words): Refusal {
  return new Refusal('NOT_FOUND', words[reason], { details: { reason } });
}
