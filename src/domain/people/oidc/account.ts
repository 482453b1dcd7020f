import { Email } from '../../../contract/console/people.ts';
import { Refusal } from '../../../contract/errors.ts';
import { VisibleName } from '../../../contract/fields.ts';
import type { Db } from '../../../platform/database/database.ts';
import * as links from '../../../platform/database/queries/console-links.ts';
import * as identities from '../../../platform/database/queries/identities.ts';
import * as members from '../../../platform/database/queries/members.ts';
import * as organizations from '../../../platform/database/queries/organizations.ts';
import * as passwords from '../../../platform/database/queries/passwords.ts';
import * as people from '../../../platform/database/queries/people.ts';
import * as users from '../../../platform/database/queries/users.ts';
import { newId } from '../../../platform/ids.ts';
import { conflict } from '../../base/refusals.ts';
import { auditEvent } from '../../context/audit.ts';
import type { VisitorContext } from '../../context/context.ts';
import { auditPerson } from '../audit.ts';
import { isStillAllowed } from '../link-makers.ts';
import { join } from '../use-link.ts';
import type { Claims } from './provider.ts';

/**
 * Finds or creates the account for an OpenID identity. A known identity keeps its account. A new one is linked to the
 * signed-in user, or, by verified address, to an account that has no password (otherwise an attacker could prepare
 * one for a victim) and neither owns an organization nor operates the installation. Otherwise a new account is
 * created, if there is an invitation or an organization open to all.
 */
export async function accountOf(context: VisitorContext, db: Db, claims: Claims): Promise<string> {
  const { issuer, subject } = claims;
  const { person } = context;
  mustBeOfDomain(context, claims);
  const known = await heldIdentity(db, claims);
  if (known && person && known.userId !== person.user.id)
    throw conflict(
      'This identity belongs to another account. Sign out, then sign in to that account',
      'IDENTITY_TAKEN',
    );
  if (known) return known.userId;
  const userId = person?.user.id ?? (await byAddress(context, db, claims));
  await db.row(people.hold, { userId });
  const id = newId('idn', context.clock());
  if ((await db.run(identities.insert, { id, issuer, subject, userId })) === 0)
    throw conflict('This identity has just been linked. Start again', 'IDENTITY_TAKEN');
  const details = { issuer, subject, email: claims.email ?? null };
  await auditPerson(db, context, userId, { action: 'identity.link', target: id, details });
  return userId;
}

/**
 * Finds the account of an identity and locks it, then reads the identity again, since it may be unlinked
 * concurrently.
 */
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
    throw refused('Only verified email addresses of allowed domains can sign in', 'DOMAIN_NOT_ALLOWED');
}

async function byAddress(context: VisitorContext, db: Db, claims: Claims): Promise<string> {
  const { emailVerified } = claims;
  const email = Email.safeParse(claims.email).data;
  if (email === undefined || !emailVerified)
    throw refused('The provider has not verified your email address', 'EMAIL_NOT_VERIFIED');
  const account = await db.row(passwords.ofEmail, { email });
  if (!account) return newAccount(context, db, email, VisibleName.safeParse(claims.name).data ?? email);
  const others = await db.rows(identities.list, { userId: account.userId });
  // Addresses get reassigned to other people; accounts do not.
  if (account.hash !== null || others.some(({ issuer }) => issuer === claims.issuer))
    throw conflict(
      'An account with your email address already exists. Sign in to it as usual, then link this identity on your account page',
      'SIGN_IN_TO_LINK',
    );
  await refusePowerful(db, account.userId);
  return account.userId;
}

/**
 * An address alone never opens an account that owns an organization or operates the installation: the first account
 * may have an address anyone could register at a provider, and has no password at first.
 */
async function refusePowerful(db: Db, userId: string): Promise<void> {
  await db.row(people.hold, { userId });
  const account = await db.row(people.find, { userId });
  const owns = (await db.rows(people.organizations, { userId })).some(({ role }) => role === 'owner');
  if (owns || account?.operator !== false)
    throw conflict(
      'The account with your email address is an owner or an operator. Such an account can be linked only while signed in to it. Sign in with a link from: drydock console link --user. Then link the identity on your account page',
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

/**
 * Valid invitations, with their organizations locked, so that an administrator who loses the role meanwhile admits no
 * one.
 */
async function invitationsThatWork(db: Db, email: string): Promise<links.LinkRow[]> {
  const found = [];
  for (const link of await db.rows(links.invitationsFor, { email })) {
    await db.rows(members.lockOrganization, { organizationId: link.organizationId as string });
    if (await isStillAllowed(db, link)) found.push(link);
  }
  return found;
}

async function openOrganization({ config, log }: VisitorContext, db: Db): Promise<string> {
  const { oidcOrganization: idOrName } = config;
  if (idOrName === undefined)
    throw refused('You have no invitation. Ask an administrator of your organization', 'NOT_INVITED');
  const [found, another] = await db.rows(organizations.list, { idOrName });
  if (found && !another) return found.id;
  log.error('DRYDOCK_OIDC_ORGANIZATION does not name one organization', { found: found ? 2 : 0 });
  throw refused('There is no organization for you yet. Ask the operator of this installation', 'NOT_INVITED');
}

function refused(message: string, reason: string): Refusal {
  return new Refusal('FORBIDDEN', message, { details: { reason } });
}
