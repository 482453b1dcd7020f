import { Refusal } from '../../contract/errors.ts';
import type { Db } from '../../platform/database/database.ts';
import { currentRoles, type LinkRow } from '../../platform/database/queries/console-links.ts';
import type { OrganizationRole } from '../../platform/database/queries/visibility.ts';
import { administratorNeeded } from '../context/access.ts';

/** Fields of a link that decide whether its creator may let others in. */
export type LinkTerms = Pick<LinkRow, 'kind' | 'madeBy' | 'organizationId' | 'userId' | 'role'>;

/**
 * Whether the creator of a link could still create it. Checked on every use: a link loses its effect when its creator
 * loses the permission.
 */
export async function isStillAllowed(db: Db, link: LinkTerms): Promise<boolean> {
  return (await refusalFor(db, link)) === undefined;
}

/**
 * Why this creator may not make the link, or undefined. Always allowed: sign-in links, which are made on the command
 * line, and links people request for their own account (email confirmation, mailed reset).
 */
export async function refusalFor(db: Db, link: LinkTerms): Promise<Refusal | undefined> {
  const { kind, madeBy: makerId, organizationId, userId } = link;
  if (kind === 'sign-in') return undefined;
  if (makerId !== null && makerId === userId) return organizationId === null ? undefined : ownAccount();
  if (makerId === null) return administratorNeeded();
  const known = await db.one(currentRoles, { organizationId, makerId, userId });
  const { makerRole, memberRole } = known;
  if (makerRole === null || makerRole === 'member') return administratorNeeded();
  const role = kind === 'invitation' ? link.role : memberRole;
  if (role === null) return new Refusal('NOT_FOUND', 'No such member of this organization');
  if (!decidesAbout(makerRole, role)) return ownerNeeded();
  return kind === 'invitation' || reachesNoFurther(known) ? undefined : operatorNeeded();
}

/**
 * A reset link lets its recipient take over the account. So the account must not reach beyond what the creator
 * administers: no other organization, and not the installation.
 */
function reachesNoFurther(known: {
  makerOperator: boolean;
  memberOperator: boolean;
  elsewhere: boolean;
}): boolean {
  return known.makerOperator || !(known.memberOperator || known.elsewhere);
}

/** Administrators cannot manage owners. */
export function decidesAbout(decider: OrganizationRole, role: OrganizationRole): boolean {
  return decider === 'owner' || (decider === 'admin' && role !== 'owner');
}

export function ownerNeeded(): Refusal {
  return new Refusal('FORBIDDEN', 'Only an owner can manage owners', {
    details: { reason: 'OWNER_NEEDED' },
  });
}

/** A reset link for the own account would bypass the password prompt in an unattended browser. */
function ownAccount(): Refusal {
  return new Refusal(
    'FORBIDDEN',
    'Change your password on your account page, or request a reset link by email',
    {
      details: { reason: 'OWN_ACCOUNT' },
    },
  );
}

function operatorNeeded(): Refusal {
  return new Refusal(
    'FORBIDDEN',
    'This account has access beyond your organization. An operator can create the link, or run: drydock console link --user',
    { details: { reason: 'OPERATOR_NEEDED' } },
  );
}
