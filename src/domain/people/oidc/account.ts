import { Email } from '../../../contract/console/people.ts';
import { Refusal } from '../../../contract/errors.ts';
import { VisibleName } from '../../../contract/text.ts';
import type { Db } from '../../../platform/database/database.ts';
import * as links from '../../../platform/database/queries/console-links.ts';
import * as identities from '../../../platform/database/queries/identities.ts';
import * as members from '../../../platform/database/queries/members.ts';
import * as organizations from '../../../platform/database/queries/organizations.ts';
import * as passwords from '../../../platform/database/queries/passwords.ts';
import * as people from '../../../platform/database/queries/people.ts';
import * as users from '../../../platform/database/queries/users.ts';
import { newId } from '../../../platform/ids.ts';
import { auditEvent } from '../../audit.ts';
import type { VisitorContext } from '../../context.ts';
import { conflict } from '../../refusals.ts';
import { auditPerson } from '../audit.ts';
import { isStillAllowed } from '../link-makers.ts';
import { join } from '../use-link.ts';
import type { Claims } from './provider.ts';

/**
 * Whose account somebody enters whom the provider vouches for. An identity stays with its account. A new one is linked to
 * whoever is signed in, or by a verified address: to an account that has no password, which nobody could have prepared
 * for a stranger to fall into, and that neither owns an organization nor runs the installation; or to a new one, where
 * there is an invitation or an organization for all.
 */
export async function accountOf(context: VisitorContext, db: Db, claims: Claims): Promise<string> {
  const { issuer, subject } = claims;
  const { person } = context;
  mustBeOfDomain(context, claims);
  const known = await heldIdentity(db, claims);
  if (known && person && known.userId !== person.user.id)
    throw conflict('This identity belongs to another account. Sign out to enter it', 'IDENTITY_TAKEN');
  if (known) return known.userId;
  const userId = person?.user.id ?? (await byAddress(context, db, claims));
  await db.row(people.hold, { userId });
  const id = newId('idn', context.clock());
  if ((await db.run(identities.insert, { id, issuer, subject, userId })) === 0)
    throw conflict('This identity was linked just now. Begin again', 'IDENTITY_TAKEN');
  const details = { issuer, subject, email: claims.email ?? null };
  await auditPerson(db, context, userId, { action: 'identity.link', target: id, details });
  return userId;
}

/** Whose it is. The account is held before it is read again, so that one that is being unlinked opens nothing. */
async function heldIdentity(db: Db, { issuer, subject }: Claims): Promise<{ userId: string } | undefined> {
  const found = await db.row(identities.find, { issuer, subject });
  if (!found) return undefined;
  await db.row(people.hold, found);
  return db.row(identities.find, { issuer, subject });
}

function mustBeOfDomain({ config }: VisitorContext, { email, emailVerified }: Claims): void {
  const { oidcDomains: domains } = config;
  if (!domains) return;
  const domain = email?.toLowerCase().split('@').at(-1) ?? '';
  if (!emailVerified || !domains.includes(domain))
    throw refused('Your e-mail address is not of a domain that may sign in here', 'DOMAIN_NOT_ALLOWED');
}

async function byAddress(context: VisitorContext, db: Db, claims: Claims): Promise<string> {
  const { emailVerified } = claims;
  const email = Email.safeParse(claims.email).data;
  if (email === undefined || !emailVerified)
    throw refused('The provider does not vouch for your e-mail address', 'EMAIL_NOT_VERIFIED');
  const account = await db.row(passwords.ofEmail, { email });
  if (!account) return newAccount(context, db, email, VisibleName.safeParse(claims.name).data ?? email);
  const others = await db.rows(identities.list, { userId: account.userId });
  // An address may be given to somebody else; the account is not.
  if (account.hash !== null || others.some(({ issuer }) => issuer === claims.issuer))
    throw conflict(
      'There is an account with your e-mail address. Sign in to it as before, then link this identity in your profile',
      'SIGN_IN_TO_LINK',
    );
  await refusePowerful(db, account.userId);
  return account.userId;
}

/**
 * The first account has an address that anybody may have at a provider, and no password until somebody chooses one. So
 * an address alone opens no account that owns an organization or runs the installation.
 */
async function refusePowerful(db: Db, userId: string): Promise<void> {
  await db.row(people.hold, { userId });
  const account = await db.row(people.find, { userId });
  const owns = (await db.rows(people.organizations, { userId })).some(({ role }) => role === 'owner');
  if (owns || account?.operator !== false)
    throw conflict(
      'The account with your e-mail address is an owner or an operator, and an identity is linked to such an account only by whoever is signed in to it. Sign in with a link from: drydock console link --user. Then link the identity in your profile',
      'SIGN_IN_TO_LINK',
    );
}

async function newAccount(context: VisitorContext, db: Db, email: string, name: string): Promise<string> {
  const { requestId, clock } = context;
  const invitations = await invitationsThatWork(db, email);
  const open = invitations.length === 0 ? await openOrganization(context, db) : undefined;
  const userId = newId('usr', clock());
  await db.run(users.insert, { id: userId, email, name });
  for (const link of invitations)
    if ((await db.run(links.use, { id: link.id })) === 1) await join(db, { userId, link, requestId });
  if (open !== undefined) {
    await db.run(members.add, { organizationId: open, userId, role: 'member' });
    const event = { organizationId: open, projectId: null, actor: userId, requestId };
    const details = { email, role: 'member' };
    await auditEvent(db, { ...event, action: 'member.join', target: userId, details });
  }
  const details = { email, name };
  await auditPerson(db, context, userId, { action: 'user.create', target: userId, details });
  return userId;
}

/** Their organizations stay as they are meanwhile, so that nobody enters by the word of an administrator who is none. */
async function invitationsThatWork(db: Db, email: string): Promise<links.LinkRow[]> {
  const found = [];
  for (const link of await db.rows(links.invitationsFor, { email })) {
    await db.rows(members.lineUp, { organizationId: link.organizationId as string });
    if (await isStillAllowed(db, link)) found.push(link);
  }
  return found;
}

async function openOrganization({ config, log }: VisitorContext, db: Db): Promise<string> {
  const { oidcOrganization: idOrName } = config;
  if (idOrName === undefined)
    throw refused('Nobody has invited you. Ask an administrator of your organization', 'NOT_INVITED');
  const [found, another] = await db.rows(organizations.list, { idOrName });
  if (found && !another) return found.id;
  log.error('DRYDOCK_OIDC_ORGANIZATION does not name one organization', { found: found ? 2 : 0 });
  throw refused('There is no organization for you yet. Ask the operator of this installation', 'NOT_INVITED');
}

function refused(message: string, reason: string): Refusal {
  return new Refusal('FORBIDDEN', message, { details: { reason } });
}
