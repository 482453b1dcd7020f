import { Refusal } from '../../contract/errors.ts';
import type { Db } from '../../platform/database/database.ts';
import { type LinkRow, standing } from '../../platform/database/queries/console-links.ts';
import type { OrganizationRole } from '../../platform/database/queries/members.ts';
import { administratorNeeded } from '../access.ts';

/** What of a link says whether its maker may let others in with it. */
export type LinkTerms = Pick<LinkRow, 'kind' | 'madeBy' | 'organizationId' | 'userId' | 'role'>;

/** Whoever makes a link may do so by now. Asked when it is read or used: it is worth no more than its maker is. */
export async function isStillAllowed(db: Db, link: LinkTerms): Promise<boolean> {
  return (await refusalFor(db, link)) === undefined;
}

/**
 * Why somebody may not make a link, if so. Links that sign in are made on the machine; who confirms an address, or asks for
 * a new password of the own account by mail, does it for nobody else.
 */
export async function refusalFor(db: Db, link: LinkTerms): Promise<Refusal | undefined> {
  const { kind, madeBy: makerId, organizationId, userId } = link;
  if (kind === 'sign-in') return undefined;
  if (makerId !== null && makerId === userId) return organizationId === null ? undefined : ownAccount();
  if (makerId === null) return administratorNeeded();
  const known = await db.one(standing, { organizationId, makerId, userId });
  const { makerRole, memberRole } = known;
  if (makerRole === null || makerRole === 'member') return administratorNeeded();
  const role = kind === 'invitation' ? link.role : memberRole;
  if (role === null) return new Refusal('NOT_FOUND', 'No such member of this organization');
  if (!decidesAbout(makerRole, role)) return ownerNeeded();
  return kind === 'invitation' || reachesNoFurther(known) ? undefined : operatorNeeded();
}

/**
 * Whoever has a link to a new password becomes that account, so it must open no more than what the maker administers:
 * not another organization, and not the installation.
 */
function reachesNoFurther(known: {
  makerOperator: boolean;
  memberOperator: boolean;
  elsewhere: boolean;
}): boolean {
  return known.makerOperator || !(known.memberOperator || known.elsewhere);
}

/** Administrators do not decide about owners. */
export function decidesAbout(decider: OrganizationRole, role: OrganizationRole): boolean {
  return decider === 'owner' || (decider === 'admin' && role !== 'owner');
}

export function ownerNeeded(): Refusal {
  return new Refusal('FORBIDDEN', 'Only an owner decides about owners', {
    details: { reason: 'OWNER_NEEDED' },
  });
}

/** It would be a way around the password that is asked for, for whoever found a browser signed in. */
function ownAccount(): Refusal {
  return new Refusal('FORBIDDEN', 'Change your own password on your account page, or have a link mailed', {
    details: { reason: 'OWN_ACCOUNT' },
  });
}

function operatorNeeded(): Refusal {
  return new Refusal(
    'FORBIDDEN',
    'This account reaches further than your organization. An operator can make the link, or: drydock console link --user',
    { details: { reason: 'OPERATOR_NEEDED' } },
  );
}
