import type { ConsoleOperations } from '../../contract/console/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import type { Db } from '../../platform/database/database.ts';
import * as sessions from '../../platform/database/queries/console-sessions.ts';
import * as identities from '../../platform/database/queries/identities.ts';
import * as people from '../../platform/database/queries/people.ts';
import { newId } from '../../platform/ids.ts';
import { hashToken, newToken } from '../../platform/secrets/tokens.ts';
import { version } from '../../platform/version.ts';
import type { PublicContext, SessionContext, VisitorContext } from '../context/context.ts';
import { signedOut } from '../identity/authenticate.ts';
import { auditPerson } from './audit.ts';
import { mailsLinks } from './mail.ts';

type SignedIn = OutputOf<ConsoleOperations['signIn']>;

/** Maximum number of sessions per account. */
const maxSessions = 50;

/**
 * Begins a session and ends the browser's previous one. The caller holds the account lock and has checked the
 * credentials under it.
 */
export async function beginSession(
  context: VisitorContext,
  db: Db,
  userId: string,
  way: sessions.SessionRow['way'],
): Promise<{ id: string; token: string }> {
  const { visitor, person } = context;
  const id = newId('ses', context.clock());
  const token = newToken();
  if (person) await db.run(sessions.end, { id: person.sessionId, userId: person.user.id });
  await db.run(sessions.insert, {
    id,
    hash: hashToken(token),
    userId,
    organizationId: null,
    way,
    address: visitor.address,
    userAgent: visitor.userAgent ?? null,
  });
  await db.run(sessions.endSurplus, { userId, most: maxSessions });
  const details = { way, address: visitor.address };
  await auditPerson(db, context, userId, { action: 'session.begin', target: id, details });
  return { id, token };
}

export async function signedIn(context: PublicContext, userId: string, sessionId: string): Promise<SignedIn> {
  const { db } = context;
  const user = await db.row(people.find, { userId });
  if (!user) throw signedOut();
  const organizations = await db.rows(people.organizations, { userId });
  const [session] = await db
    .rows(sessions.list, { userId })
    .then((all) => all.filter(({ id }) => id === sessionId));
  const last = organizations.find(({ id }) => id === session?.organizationId) ?? organizations[0];
  return {
    signedIn: true,
    sessionId,
    user: { ...user, identities: await db.rows(identities.list, { userId }) },
    organizations,
    organizationId: last?.id ?? null,
    ways: signInMethods(context),
    version,
  };
}

export function signInMethods({ config }: Pick<PublicContext, 'config'>): SignedIn['ways'] {
  const { oidcIssuer, oidcClientId, oidcName } = config;
  const oidc = oidcIssuer !== undefined && oidcClientId !== undefined;
  return { oidc: oidc ? { name: oidcName } : null, mail: mailsLinks({ config }) };
}

export function mySession(context: SessionContext): Promise<SignedIn> {
  return signedIn(context, context.person.user.id, context.person.sessionId);
}
