import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createUser } from '../src/domain/operator/users.ts';
import { hashPassword } from '../src/domain/people/passwords.ts';
import * as users from '../src/platform/database/queries/users.ts';
import { newId } from '../src/platform/ids.ts';
import { Browser, rightPassword } from './support/browser.ts';
import { actionsOf, givePassword, signedIn } from './support/people.ts';
import { dispose, startForTest, startTestService, type TestService } from './support/service.ts';
import { textOf } from './support/snapshot.ts';

let service: TestService;

beforeAll(async () => {
  // Each browser has its own IP address, so that failures are counted apart.
  service = await startTestService({ worker: false, env: { DRYDOCK_TRUSTED_PROXIES: '127.0.0.0/8' } });
});
afterAll(() => dispose(service));

let addresses = 0;
/** A browser at an IP address without failures. */
function browser(address = `10.0.0.${++addresses}`): Browser {
  return new Browser(service, { 'x-forwarded-for': address });
}

async function account(hash?: Promise<string>): Promise<{ userId: string; email: string }> {
  const { userId } = await service.member('member');
  await givePassword(service, userId, hash);
  return { userId, email: await emailOf(userId) };
}

async function emailOf(userId: string): Promise<string> {
  return (await service.db.row(users.list, { idOrEmail: userId }))?.email as string;
}

const right = (email: string) => ({ body: { email, password: rightPassword } });
const wrong = (email: string) => ({ body: { email, password: 'not the password' } });

describe('signing in', () => {
  test('opens the API and the console with one cookie, and signing out closes both', async () => {
    const { userId, email } = await account();
    const tab = browser();
    expect(await tab.people.getSession()).toEqual({ signedIn: false, ways: { oidc: null, mail: false } });
    const session = await tab.people.signIn(right(` ${email.toUpperCase()} `));
    expect(session).toMatchObject({
      signedIn: true,
      user: { id: userId, email, operator: false, hasPassword: true, identities: [] },
      organizations: [{ role: 'member' }],
    });
    expect(session.organizationId).toBe(session.organizations[0]?.id);
    expect(tab.setCookies).toEqual([
      expect.stringMatching(/^drydock_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=7776000$/),
      // The device cookie opens nothing and outlives the session.
      expect.stringMatching(/^drydock_device=[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=15552000$/),
    ]);
    expect(await tab.people.getSession()).toEqual(session);
    expect((await tab.api.getMe()).id).toBe(userId);
    expect((await tab.api.listProjects()).items.length).toBeGreaterThan(0);
    expect(await tab.people.signOut()).toEqual({ signedIn: false, ways: { oidc: null, mail: false } });
    expect([...tab.cookies.keys()]).toEqual(['drydock_device']);
    tab.cookies.set('drydock_session', 'A'.repeat(43));
    await expect(tab.api.getMe()).rejects.toMatchObject({ status: 401, details: { reason: 'SIGNED_OUT' } });
    expect(await actionsOf(service, userId)).toEqual(
      expect.arrayContaining(['session.begin', 'session.end']),
    );
  });

  test('again in the same browser ends the session that it had', async () => {
    const { email } = await account();
    const tab = browser();
    await tab.people.signIn(right(email));
    const before = tab.session as string;
    await tab.people.signIn(right(email));
    expect(tab.session).not.toBe(before);
    expect((await tab.people.listMySessions()).items).toHaveLength(1);
    tab.cookies.set('drydock_session', before);
    await expect(tab.people.listMySessions()).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });

  test('an account without a password, an unknown one and a wrong password are refused alike', async () => {
    const without = await service.member('member');
    const refusals = [];
    for (const address of [
      await emailOf(without.userId),
      `${newId('nobody')}@example.com`,
      (await account()).email,
    ])
      refusals.push(
        await browser()
          .people.signIn(wrong(address))
          .catch((error: unknown) => error),
      );
    for (const refusal of refusals)
      expect(refusal).toMatchObject({
        status: 401,
        message: 'The email address or the password is wrong',
        details: { reason: 'WRONG_PASSWORD' },
      });
  });

  test('takes as long for an address that nobody has', { tags: ['long'] }, async () => {
    const { email } = await account(hashPassword(rightPassword));
    // Processor time of the whole process, which includes the service: other processes do not affect it.
    const time = async (address: string): Promise<number> => {
      const start = process.cpuUsage();
      await browser()
        .people.signIn(wrong(address))
        .catch(() => {});
      return process.cpuUsage(start).user;
    };
    const known: number[] = [];
    const unknown: number[] = [];
    for (let round = 0; round < 4; round++) {
      known.push(await time(email));
      unknown.push(await time(`${newId('nobody')}@example.com`));
    }
    const least = (times: number[]) => Math.min(...times);
    // Comparing takes more than 100 ms: leaving it out would show.
    expect(least(unknown)).toBeGreaterThan(least(known) * 0.6);
  });
});

/** The seconds left of a pause that began less than ten seconds ago. */
function about(seconds: number): unknown {
  return expect.toSatisfy((left: number) => left <= seconds && left > seconds - 10);
}

describe('brakes', () => {
  test('after five failures for an account from one network the right password waits there, and nowhere else', async () => {
    const { userId, email } = await account();
    const from = () => browser('198.51.100.7');
    for (let attempt = 0; attempt < 5; attempt++)
      await expect(from().people.signIn(wrong(email))).rejects.toMatchObject({ status: 401 });
    const refused = await from()
      .people.signIn(right(email))
      .catch((error: unknown) => error);
    expect(refused).toMatchObject({ status: 429, code: 'RATE_LIMITED', retryAfter: about(30) });
    await expect.poll(() => actionsOf(service, userId)).toContain('session.refuse');
    await browser().people.signIn(right(email));
    await from().people.signIn(right((await account()).email));
    await later(31);
    await expect(from().people.signIn(wrong(email))).rejects.toMatchObject({ status: 401 });
    await expect(from().people.signIn(right(email))).rejects.toMatchObject({ retryAfter: about(60) });
    await later(61);
    await from().people.signIn(right(email));
    // A correct password resets the counter.
    await expect(from().people.signIn(wrong(email))).rejects.toMatchObject({ status: 401 });
    await from().people.signIn(right(email));
  });

  test('many at once are no way around', async () => {
    const { email } = await account();
    const attempts = Array.from({ length: 12 }, () => browser('198.51.100.8').people.signIn(wrong(email)));
    expect(countOf(await Promise.allSettled(attempts))).toEqual({ 401: 5, 429: 7 });
  });

  test('fifty failures from everywhere make strangers wait; a browser that has signed in before gets in', async () => {
    const [{ email, userId }, another] = [await account(), await account()];
    const [known, ofAnother, forged, stranger] = [browser(), browser(), browser(), browser()];
    await known.people.signIn(right(email));
    await known.people.signOut();
    await ofAnother.people.signIn(right(another.email));
    await ofAnother.people.signOut();
    const device = known.cookies.get('drydock_device') as string;
    forged.cookies.set('drydock_device', forgedFor(device, userId));
    const failures: PromiseSettledResult<unknown>[] = [];
    for (let round = 0; round < 6; round++)
      failures.push(
        ...(await Promise.allSettled(
          Array.from({ length: 10 }, (_, host) =>
            browser(`198.18.${round}.${host}`).people.signIn(wrong(email)),
          ),
        )),
      );
    expect(countOf(failures)).toEqual({ 401: 50, 429: 10 });
    for (const tab of [stranger, ofAnother, forged])
      await expect(tab.people.signIn(right(email))).rejects.toMatchObject({ status: 429 });
    await known.people.signIn(right(email));
    // The device cookie does not help to guess: its failures are counted separately.
    const copy = () => {
      const tab = browser();
      tab.cookies.set('drydock_device', device);
      return tab;
    };
    const guesses = await Promise.allSettled(
      Array.from({ length: 8 }, () => copy().people.signIn(wrong(email))),
    );
    expect(countOf(guesses)).toEqual({ 401: 5, 429: 3 });
  });

  test('many known browsers are no way around, and none is known after another password', async () => {
    const { email, userId } = await account();
    const devices = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const tab = browser();
        await tab.people.signIn(right(email));
        return tab.cookies.get('drydock_device') as string;
      }),
    );
    const guess = (device: string, address?: string) => {
      const tab = address === undefined ? browser() : browser(address);
      tab.cookies.set('drydock_device', device);
      return tab.people.signIn(wrong(email));
    };
    const guesses = await Promise.allSettled(
      devices.flatMap((device) => Array.from({ length: 5 }, () => guess(device))),
    );
    expect(countOf(guesses)).toEqual({ 401: 20, 429: 10 });
    const tab = await signedIn(service, userId, { 'x-forwarded-for': '198.51.100.10' });
    await later(31);
    const body = { currentPassword: rightPassword, newPassword: 'paper boats in the rain' };
    await tab.people.changePassword({ body });
    // After the password change the cookies do not count: five failures from one network.
    const afterwards = await Promise.allSettled(devices.map((device) => guess(device, '198.51.100.11')));
    expect(countOf(afterwards)).toEqual({ 401: 5, 429: 1 });
  });

  /** A device cookie with the first 16 bytes of the given one and forged entries. */
  function forgedFor(device: string, userId: string): string {
    const entries = JSON.stringify([{ userId, device: newId('dev'), at: Date.now() }]);
    return Buffer.concat([Buffer.from(device, 'base64url').subarray(0, 16), Buffer.from(entries)]).toString(
      'base64url',
    );
  }

  function countOf(outcomes: PromiseSettledResult<unknown>[]): Record<number, number> {
    const counts: Record<number, number> = {};
    for (const one of outcomes) {
      const status = one.status === 'rejected' ? (one.reason as { status: number }).status : 200;
      counts[status] = (counts[status] ?? 0) + 1;
    }
    return counts;
  }

  test('while strangers guess, whoever is signed in confirms with the password', async () => {
    const { userId, email } = await account();
    const tab = await signedIn(service, userId, { 'x-forwarded-for': '198.51.100.9' });
    for (let attempt = 0; attempt < 6; attempt++)
      await browser('198.51.100.9')
        .people.signIn(wrong(email))
        .catch(() => {});
    const body = { currentPassword: rightPassword, newPassword: 'paper boats in the rain' };
    expect((await tab.people.changePassword({ body })).user.id).toBe(userId);
  });

  test('after twenty attempts from one network the others wait too; a whole IPv6 network is one', async () => {
    const { email } = await account();
    const from = (host: number) => browser(`2001:db8:0:7::${host.toString(16)}`);
    await twentyAttempts(from);
    await expect(from(99).people.signIn(right(email))).rejects.toMatchObject({
      status: 429,
      retryAfter: about(30),
    });
    const spelled = browser('2001:0DB8:0000:0007:1:2:3:4');
    await expect(spelled.people.signIn(right(email))).rejects.toMatchObject({ status: 429 });
    await browser('2001:db8:0:8::1').people.signIn(right(email));
  });

  test('what somebody writes before the word of a trusted proxy counts for nothing', async () => {
    const from = (host: number) => browser(`203.0.113.${host}, 10.7.0.1`);
    await twentyAttempts(from);
    await expect(from(99).people.signIn(wrong('a@example.com'))).rejects.toMatchObject({ status: 429 });
  });

  test('the word of a proxy that nobody trusts is not taken', async () => {
    const open = await startForTest({ worker: false });
    const from = (host: number) => new Browser(open, { 'x-forwarded-for': `10.1.0.${host}` });
    await twentyAttempts(from);
    await expect(from(99).people.signIn(wrong('a@example.com'))).rejects.toMatchObject({ status: 429 });
  });

  /** A password reset counts as an attempt too, and takes less time than comparing a password. */
  async function twentyAttempts(from: (host: number) => Browser): Promise<void> {
    const asked = Array.from({ length: 20 }, (_, index) =>
      from(index + 1).people.requestReset({ body: { email: `${newId('x')}@example.com` } }),
    );
    expect(new Set((await Promise.all(asked)).map(({ mail }) => mail))).toEqual(new Set([false]));
  }

  /** Moves the throttles back, as if so many seconds had passed. */
  async function later(seconds: number): Promise<void> {
    const database = await service.database.connect();
    await database.query(
      "update brakes set until = until - $1 * interval '1 s', last_at = last_at - $1 * interval '1 s'",
      [seconds],
    );
    await database.end();
  }
});

describe('passwords', () => {
  test('are chosen without one, changed with the old one, and end all other sessions', async () => {
    const { userId } = await service.member('member');
    const here = await signedIn(service, userId, { 'x-forwarded-for': '10.3.0.1' });
    const there = await signedIn(service, userId);
    await here.people.changePassword({ body: { newPassword: rightPassword } });
    await expect(there.people.listMySessions()).rejects.toMatchObject({ status: 401 });
    const change = (currentPassword?: string) =>
      here.people.changePassword({
        body: { newPassword: 'paper boats in the rain', ...(currentPassword && { currentPassword }) },
      });
    await expect(change()).rejects.toMatchObject({
      code: 'FORBIDDEN',
      details: { reason: 'WRONG_PASSWORD' },
    });
    await expect(change('not the password')).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect((await change(rightPassword)).user.hasPassword).toBe(true);
    expect(await actionsOf(service, userId)).toContain('password.change');
  });

  test.each([
    ['short', 'newPassword:'],
    ['password1234', 'too easy to guess'],
    ['aaaaaaaaaaaa', 'too easy to guess'],
    ['ｐａｓｓｗｏｒｄ１２３４', 'too easy to guess'],
    ['e\u0301'.repeat(6), 'at least 10'],
    ['x'.repeat(201), 'newPassword:'],
  ])('%s is not taken', async (newPassword, message) => {
    const tab = await signedIn(service, (await service.member('member')).userId);
    await expect(tab.people.changePassword({ body: { newPassword } })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining(message),
    });
  });

  test('neither is the own address', async () => {
    const email = `${newId('long.enough')}@example.com`;
    const tab = await signedIn(service, await createUser(service.db, { email, name: 'x' }));
    const wide = email.replaceAll(/[!-~]/g, (one) => String.fromCharCode(one.charCodeAt(0) + 0xfee0));
    for (const newPassword of [email.toUpperCase(), wide])
      await expect(tab.people.changePassword({ body: { newPassword } })).rejects.toMatchObject({
        details: { reason: 'WEAK_PASSWORD' },
      });
  });

  test('changing the own address needs one, and an address that nobody has', async () => {
    const { userId, email: taken } = await account();
    const other = await service.member('member');
    const tab = await signedIn(service, other.userId, { 'x-forwarded-for': '10.3.0.2' });
    const email = `${newId('new')}@example.com`;
    await expect(tab.people.updateProfile({ body: { email } })).rejects.toMatchObject({
      details: { code: 'PASSWORD_NEEDED' },
    });
    await tab.people.changePassword({ body: { newPassword: rightPassword } });
    await expect(tab.people.updateProfile({ body: { email } })).rejects.toMatchObject({ status: 403 });
    const confirmed = { currentPassword: rightPassword };
    await expect(tab.people.updateProfile({ body: { email: taken, ...confirmed } })).rejects.toMatchObject({
      details: { code: 'EMAIL_TAKEN' },
    });
    const body = { email, name: 'Ada', ...confirmed };
    expect((await tab.people.updateProfile({ body })).user).toMatchObject({ email, name: 'Ada' });
    expect((await browser().people.signIn(right(email))).user.id).toBe(other.userId);
    expect(userId).not.toBe(other.userId);
    // Without mail, an address with an open invitation cannot be taken: nothing proves whose it is.
    const admin = await signedIn(service, (await service.member('admin')).userId);
    const { organizationId } = (await admin.people.getSession()) as { organizationId: string };
    const invited = `${newId('invited')}@example.com`;
    const invitation = { email: invited, role: 'admin' as const };
    await admin.people.createInvitation({ organizationId, body: invitation });
    const theirs = tab.people.updateProfile({ body: { email: invited.toUpperCase(), ...confirmed } });
    await expect(theirs).rejects.toMatchObject({ details: { code: 'EMAIL_INVITED' } });
  });
});

test('a flood of sign-ins is refused beyond a bound, counts for nobody, and holds up no other request', {
  tags: ['long'],
}, async () => {
  const { email, userId } = await account();
  const tab = await signedIn(service, userId);
  const flood = Array.from({ length: 54 }, () =>
    browser()
      .people.signIn(wrong(`${newId('nobody')}@example.com`))
      .catch((error: unknown) => error as { status: number; retryAfter?: number }),
  );
  // Meanwhile others are served, and a refused sign-in does not count as an attempt.
  await expect.poll(() => Promise.race(flood) as Promise<{ status: number }>).toMatchObject({ status: 429 });
  const own = await Promise.all(
    Array.from({ length: 6 }, () =>
      browser()
        .people.signIn(right(email))
        .then(() => 200)
        .catch((error: { status: number }) => error.status),
    ),
  );
  expect((await tab.api.getMe()).id).toBe(userId);
  expect(own).toContain(429);
  const outcomes = (await Promise.all(flood)) as { status: number; retryAfter?: number }[];
  const refused = outcomes.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(5);
  expect(new Set(refused.map(({ retryAfter }) => retryAfter))).toEqual(new Set([10]));
  await browser().people.signIn(right(email));
});

test('neither passwords nor tokens are in the log, in answers or in the database', async () => {
  const { email } = await account();
  const tab = browser();
  const answer = await tab.send('/console/api/session', {
    method: 'POST',
    headers: { 'x-drydock-console': '1', 'x-forwarded-for': '10.4.0.1' },
    body: { email, password: rightPassword },
  });
  await browser('10.4.0.2')
    .people.signIn({ body: { email, password: 'a telltale mistake' } })
    .catch(() => {});
  const token = tab.session as string;
  expect(answer.status).toBe(200);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.text).not.toContain(token);
  const database = await service.database.connect();
  const everything = `${await textOf(database)} ${service.logs.join('')}`;
  await database.end();
  for (const secret of [rightPassword, token, 'a telltale mistake']) expect(everything).not.toContain(secret);
});
