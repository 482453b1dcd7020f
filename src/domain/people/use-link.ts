import { Refusal } from '../../contract/errors.ts';
import { type Db, violates } from '../../platform/database/database.ts';
import * as links from '../../platform/database/queries/console-links.ts';
import * as members from '../../platform/database/queries/members.ts';
import * as users from '../../platform/database/queries/users.ts';
import { newId } from '../../platform/ids.ts';
import { auditEvent } from '../audit.ts';
import type { VisitorContext } from '../context.ts';
import { invalid } from '../invalid.ts';
import { conflict } from '../refusals.ts';
import type { Verb } from '../verb.ts';
import { auditPerson } from './audit.ts';
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

function needsOf({ person }: VisitorContext, { kind, accountId }: Link): Needs {
  if (kind === 'sign-in') return 'nothing';
  if (kind === 'reset') return 'password';
  if (accountId === null) return 'name and password';
  return person?.user.id === accountId ? 'nothing' : 'sign-in';
}

export const useLink: Verb<'useLink'> = async (context, { body }) => {
  const { db, visitor } = context;
  const link = await openLink(db, body.token, context.clock());
  const needs = needsOf(context, link);
  // Whoever invites knows the link, and must not get into an account with it that is there already.
  if (needs === 'sign-in')
    throw new Refusal('UNAUTHORIZED', `${link.address} has an account. Sign in with it to accept`, {
      details: { reason: 'SIGN_IN_FIRST' },
    });
  const hash = needs === 'nothing' ? undefined : await chosenPassword(link, body.password);
  const work = (trx: Db) => {
    if (link.kind === 'invitation') return accept(context, trx, link, body.name, hash);
    return enter(context, trx, link, hash);
  };
  const { userId, session } = await db.transaction(async (trx) => {
    if ((await trx.run(links.use, { id: link.id })) === 0) throw deadLink('USED');
    return work(trx);
  });
  if (session) visitor.keepSession(session.token);
  return signedIn(context, userId, session?.id ?? (context.person?.sessionId as string));
};

async function chosenPassword({ address }: Link, password: string | undefined): Promise<string> {
  if (password === undefined) throw invalid('password: Choose one');
  checkPassword(password, address ?? '');
  return hashPassword(password);
}

interface Entry {
  userId: string;
  /** None where the one that was there goes on. */
  session?: { id: string; token: string };
}

async function enter(context: VisitorContext, db: Db, link: Link, hash: string | undefined): Promise<Entry> {
  const userId = link.userId as string;
  if (hash !== undefined) await setPassword(db, userId, hash, null);
  await auditPerson(db, context, userId, hash === undefined ? 'link.use' : 'password.reset', link.id);
  return { userId, session: await beginSession(context, db, userId, 'link') };
}

async function accept(
  context: VisitorContext,
  db: Db,
  link: Link,
  name: string | undefined,
  hash: string | undefined,
): Promise<Entry> {
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
  const user = { id, email: address as string, name };
  await db.run(users.insert, user).catch((error: unknown) => {
    if (violates(error, 'users_email'))
      throw conflict(`${address} has an account by now. Sign in with it to accept`, 'EMAIL_TAKEN');
    throw error;
  });
  await auditEvent(db, {
    organizationId,
    projectId: null,
    actor: id,
    action: 'user.create',
    target: id,
    requestId,
  });
  return id;
}

/** Whoever is a member by now keeps their role. */
export async function join(
  db: Db,
  { userId, link, requestId }: { userId: string; link: links.LinkRow; requestId: string },
): Promise<void> {
  const organizationId = link.organizationId as string;
  const role = link.role as members.OrganizationRole;
  await db.run(members.add, { organizationId, userId, role });
  const event = { organizationId, projectId: null, actor: userId, requestId };
  await auditEvent(db, { ...event, action: 'invitation.accept', target: link.id });
}
