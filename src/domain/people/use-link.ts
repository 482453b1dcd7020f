import { Refusal } from '../../contract/errors.ts';
import { type Db, violates } from '../../platform/database/database.ts';
import * as links from '../../platform/database/queries/console-links.ts';
import * as identities from '../../platform/database/queries/identities.ts';
import * as members from '../../platform/database/queries/members.ts';
import * as people from '../../platform/database/queries/people.ts';
import * as users from '../../platform/database/queries/users.ts';
import type { OrganizationRole } from '../../platform/database/queries/visibility.ts';
import { newId } from '../../platform/ids.ts';
import { conflict, invalid } from '../base/refusals.ts';
import { auditEvent } from '../context/audit.ts';
import type { VisitorContext } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { enforceAttemptLimit, releaseAddress } from './attempt-limits.ts';
import { auditPerson } from './audit.ts';
import { setSignInCookies } from './devices.ts';
import { notifyOldAddress, type OldAddress, setEmail } from './email.ts';
import { deadLink, openLink } from './links.ts';
import { checkPassword, hashPassword } from './passwords.ts';
import { setPassword } from './profile.ts';
import { beginSession, signedIn } from './session.ts';

type Link = Awaited<ReturnType<typeof openLink>>;
type Needs = 'nothing' | 'password' | 'name and password' | 'sign-in';

export const readLink: Verb<'readLink'> = async (context, { body: { token } }) => {
  const link = await openLink(context.db, token, context.clock());
  const { kind, address, organizationName, role, expiresAt } = link;
  return { kind, email: address ?? '', organizationName, role, needs: needsOf(context, link), expiresAt };
};

/**
 * The inviter knows an invitation link, and a confirmation link goes to an unproven address, so neither may sign in
 * to an existing account.
 */
function needsOf({ person }: VisitorContext, { kind, userId, accountId }: Link): Needs {
  if (kind === 'sign-in') return 'nothing';
  if (kind === 'reset') return 'password';
  const account = kind === 'email' ? userId : accountId;
  if (account === null) return 'name and password';
  return person?.user.id === account ? 'nothing' : 'sign-in';
}

export const useLink: Verb<'useLink'> = async (context, { body }) => {
  const { db, visitor, clock } = context;
  const { address } = visitor;
  const found = await openLink(db, body.token, clock());
  const needs = needsOf(context, found);
  if (needs === 'sign-in') throw signInFirst(found);
  const hash = needs === 'nothing' ? undefined : await chosenPassword(context, found, body.password);
  const { userId, session, before } = await db.transaction(async (trx) => {
    await hold(trx, found);
    // The link may have changed meanwhile: revoked, creator no longer administrator, or now for another account.
    const link = await openLink(trx, body.token, clock());
    if (needsOf(context, link) !== needs) throw signInFirst(link);
    if ((await trx.run(links.use, { id: link.id })) === 0) throw deadLink('USED');
    return useIt(context, trx, link, { name: body.name, hash });
  });
  if (hash !== undefined) await releaseAddress(context, address);
  if (before) notifyOldAddress(context, before, found.email as string);
  if (session) await setSignInCookies(context, userId, session.token);
  return signedIn(context, userId, session?.id ?? (context.person?.sessionId as string));
};

/** Locks the organization and the account until the link is used. Both before the link: the lock order everywhere. */
async function hold(db: Db, { organizationId, userId }: Link): Promise<void> {
  if (organizationId !== null) await db.rows(members.lockOrganization, { organizationId });
  if (userId !== null) await db.row(people.hold, { userId });
}

function signInFirst({ kind, address }: Link): Refusal {
  const words =
    kind === 'email'
      ? `Sign in to the account that should use ${address}, then open the link again`
      : `${address} has an account. Sign in with it to accept`;
  return new Refusal('UNAUTHORIZED', words, { details: { reason: 'SIGN_IN_FIRST' } });
}

/** Hashing is slow, so attempts are rate-limited: one link must not keep the service busy. */
async function chosenPassword(
  context: VisitorContext,
  { address }: Link,
  password: string | undefined,
): Promise<string> {
  if (password === undefined) throw invalid('password: Required');
  checkPassword(password, address ?? '');
  await enforceAttemptLimit(context, { kind: 'address', of: context.visitor.address });
  return hashPassword(password);
}

interface Entry {
  userId: string;
  /** Undefined if the current session continues. */
  session?: { id: string; token: string };
  /** Address of the account before the change. */
  before?: OldAddress;
}

interface Given {
  name: string | undefined;
  hash: string | undefined;
}

async function useIt(context: VisitorContext, db: Db, link: Link, given: Given): Promise<Entry> {
  if (link.kind === 'invitation') return accept(context, db, link, given);
  const userId = link.userId as string;
  if (link.kind === 'email') {
    return { userId, before: await setEmail(context, db, userId, link.email as string) };
  }
  if (given.hash === undefined)
    await auditPerson(db, context, userId, { action: 'link.use', target: link.id });
  else await reset(context, db, link, given.hash);
  return { userId, session: await beginSession(context, db, userId, 'link') };
}

/** Linked identities keep working, so the audit event lists them for investigating a takeover. */
async function reset(context: VisitorContext, db: Db, link: Link, hash: string): Promise<void> {
  const userId = link.userId as string;
  await setPassword(db, userId, hash, null);
  const linked = await db.rows(identities.list, { userId });
  const details = { linkMadeBy: link.madeBy, identities: linked.map(({ issuer }) => issuer) };
  await auditPerson(db, context, userId, { action: 'password.reset', target: link.id, details });
}

async function accept(context: VisitorContext, db: Db, link: Link, { name, hash }: Given): Promise<Entry> {
  const userId = link.accountId ?? (await newAccount(context, db, link, name));
  await join(db, { userId, link, requestId: context.requestId });
  if (hash === undefined) return { userId };
  await setPassword(db, userId, hash, null);
  return { userId, session: await beginSession(context, db, userId, 'link') };
}

async function newAccount(
  { clock, requestId }: VisitorContext,
  db: Db,
  { address, organizationId }: Link,
  name = address as string,
): Promise<string> {
  const id = newId('usr', clock());
  const email = address as string;
  await db.run(users.insert, { id, email, name }).catch((error: unknown) => {
    if (violates(error, 'users_email'))
      throw conflict(`${address} already has an account. Sign in with it to accept`, 'EMAIL_TAKEN');
    throw error;
  });
  const event = { organizationId, projectId: null, actor: id, target: id, requestId };
  await auditEvent(db, { ...event, action: 'user.create', details: { email, name } });
  return id;
}

/** An existing member keeps the current role. */
export async function join(
  db: Db,
  { userId, link, requestId }: { userId: string; link: links.LinkRow; requestId: string },
): Promise<void> {
  const organizationId = link.organizationId as string;
  const role = link.role as OrganizationRole;
  await db.run(members.add, { organizationId, userId, role });
  const event = { organizationId, projectId: null, actor: userId, requestId };
  const details = { email: link.email, role, invitedBy: link.madeBy };
  await auditEvent(db, { ...event, action: 'invitation.accept', target: link.id, details });
}
