import { randomBytes, scryptSync } from 'node:crypto';
import { createConsoleLink } from '../../src/domain/operator/console-link.ts';
import * as sessions from '../../src/platform/database/queries/console-sessions.ts';
import * as passwords from '../../src/platform/database/queries/passwords.ts';
import { newId } from '../../src/platform/ids.ts';
import { hashToken, newToken } from '../../src/platform/secrets/tokens.ts';
import { Browser, rightPassword } from './browser.ts';
import type { TestService } from './service.ts';

/** Gives an account the password of all tests, hashed with little effort: the usual one is a quarter of a second each time. */
export async function givePassword(
  { db }: TestService,
  userId: string,
  hash: string | Promise<string> = quickHash(),
): Promise<void> {
  await db.run(passwords.set, { userId, hash: await hash });
}

function quickHash(): string {
  const [exponent, blockSize, parallelization] = [4, 8, 1];
  const salt = randomBytes(16);
  const key = scryptSync(rightPassword, salt, 32, { N: 2 ** exponent, r: blockSize, p: parallelization });
  return [
    'scrypt',
    exponent,
    blockSize,
    parallelization,
    ...[salt, key].map((bytes) => bytes.toString('base64url')),
  ].join('$');
}

/** The token of a session that nobody has signed in to; without a request, so without a trace. */
export async function newSession({ db }: TestService, userId: string): Promise<string> {
  const token = newToken();
  const nothing = { organizationId: null, userAgent: null };
  const session = { id: newId('ses'), hash: hashToken(token), userId, way: 'link', address: '' } as const;
  await db.run(sessions.insert, { ...session, ...nothing });
  return token;
}

/** A browser in which an account is signed in. */
export async function signedIn(
  service: TestService,
  userId: string,
  headers: Record<string, string> = {},
): Promise<Browser> {
  const browser = new Browser(service, headers);
  const { token } = await createConsoleLink(service.db, userId);
  await browser.people.useLink({ body: { token } });
  return browser;
}

/** The actions in the audit, oldest first, as they are about a target or by an actor. */
export async function actionsOf(service: TestService, about: string): Promise<string[]> {
  const database = await service.database.connect();
  const { rows } = await database.query<{ action: string }>(
    'select action from audit_events where target = $1 or actor = $1 order by id',
    [about],
  );
  await database.end();
  return rows.map(({ action }) => action);
}
