// @module-tag long
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { setMember } from '../src/domain/operator/members.ts';
import { createUser } from '../src/domain/operator/users.ts';
import * as users from '../src/platform/database/queries/users.ts';
import { newId } from '../src/platform/ids.ts';
import { Browser, rightPassword } from './support/browser.ts';
import { newPerson, settingsFor } from './support/oidc.ts';
import { within } from './support/path-parameters.ts';
import { actionsOf, givePassword, signedIn } from './support/people.ts';
import { dispose, startForTest, startTestService, type TestService } from './support/service.ts';
import { textOf } from './support/snapshot.ts';
import {
  anotherKey,
  client,
  type Lie,
  type OpenIdProvider,
  type SaidClaims,
  startOpenIdProvider,
} from './targets/openid-provider.ts';

let provider: OpenIdProvider;
let service: TestService;
let organizationId: string;

beforeAll(async () => {
  provider = await startOpenIdProvider();
  service = await startTestService({
    worker: false,
    env: { ...settingsFor(provider.issuer), DRYDOCK_TRUSTED_PROXIES: '127.0.0.0/8' },
  });
  organizationId = (await service.get('/organizations')).body.items[0].id as string;
});
afterAll(async () => {
  await dispose(service);
  await provider?.stop();
});

let addresses = 0;
/** A browser at a new IP address, so that failures are counted apart. */
const browser = (): Browser => new Browser(service, { 'x-forwarded-for': `10.0.0.${++addresses}` });

/** Signs in through the provider. `spoil` changes the query of the callback. */
async function signInAs(
  tab: Browser,
  person: SaidClaims,
  { lie, at = provider, spoil = (search: string) => search }: Detour = {},
) {
  const { url } = await tab.people.startOidc({ body: { returnTo: '/console/runs?state=failed' } });
  const back = new URL(await at.agree(url, person, lie));
  return tab.people.finishOidc({ body: { search: spoil(back.search) } });
}

interface Detour {
  lie?: Lie;
  at?: OpenIdProvider;
  spoil?: (search: string) => string;
}

async function emailOf(userId: string): Promise<string> {
  return (await service.db.row(users.list, { idOrEmail: userId }))?.email as string;
}

async function invite(email: string, role: 'admin' | 'member' = 'member'): Promise<void> {
  const admin = await signedIn(service, (await service.member('admin')).userId);
  await admin.people.createInvitation({ organizationId, body: { email, role } });
}

/** An account without a password, in the organization. */
async function account(): Promise<{ userId: string; email: string }> {
  const { userId } = await service.member('member');
  const tab = await signedIn(service, userId);
  return { userId, email: (await tab.api.getMe()).email };
}

describe('whoever the provider vouches for', () => {
  test('enters by an invitation, and later without', async () => {
    const person = newPerson();
    await invite(person.email as string, 'admin');
    const tab = browser();
    expect(await tab.people.getSession()).toMatchObject({ ways: { oidc: { name: 'Harbour' } } });
    const first = await signInAs(tab, person);
    expect(first).toMatchObject({
      user: { email: person.email, name: 'Grace', hasPassword: false },
      organizations: [{ id: organizationId, role: 'admin' }],
      returnTo: '/console/runs?state=failed',
    });
    expect(first.user.identities).toEqual([
      { id: expect.stringMatching(/^idn_/), issuer: provider.issuer, linkedAt: expect.any(Number) },
    ]);
    expect((await tab.people.listMySessions()).items[0]).toMatchObject({ way: 'oidc', current: true });
    expect([...tab.cookies.keys()]).toEqual(['drydock_session', 'drydock_device']);
    // Another email address at the provider does not change the account.
    const again = await signInAs(browser(), { ...person, email: 'other@example.com' });
    expect(again.user).toMatchObject({ id: first.user.id, email: person.email });
    expect(await actionsOf(service, first.user.id)).toEqual(
      expect.arrayContaining(['user.create', 'invitation.accept', 'identity.link', 'session.begin']),
    );
  });

  test('enters the account with the address, if it has no password', async () => {
    const { userId, email } = await account();
    const person = newPerson({ email: email.toUpperCase() });
    expect((await signInAs(browser(), person)).user.id).toBe(userId);
    // Another identity of the provider with the same address is not the account's.
    await expect(signInAs(browser(), newPerson({ email }))).rejects.toMatchObject({
      status: 409,
      details: { code: 'SIGN_IN_TO_LINK' },
    });
  });

  test.each([
    ['the first account', async () => ({ email: 'owner@drydock.local' })],
    ['an owner', async () => ({ email: await emailOf((await service.member('owner')).userId) })],
    [
      'an operator',
      async () => {
        const { userId } = await service.member('member');
        await within(service, 'update users set operator = true where id = $1', [userId]);
        return { email: await emailOf(userId) };
      },
    ],
  ])('does not become %s by an address alone, though it has no password', async (_, made) => {
    const { email } = await made();
    const tab = browser();
    await expect(signInAs(tab, newPerson({ email }))).rejects.toMatchObject({
      status: 409,
      details: { code: 'SIGN_IN_TO_LINK' },
    });
    expect(await tab.people.getSession()).toMatchObject({ signedIn: false });
  });

  test('becomes an administrator by an address, as somebody has decided', async () => {
    const { userId } = await service.member('admin');
    const person = newPerson({ email: await emailOf(userId) });
    expect((await signInAs(browser(), person)).user.id).toBe(userId);
  });

  test('is linked to an account with a password by whoever is signed in to it', async () => {
    const { userId, email } = await account();
    await givePassword(service, userId);
    const person = newPerson({ email });
    await expect(signInAs(browser(), person)).rejects.toMatchObject({
      details: { code: 'SIGN_IN_TO_LINK' },
    });
    const tab = browser();
    await tab.people.signIn({ body: { email, password: rightPassword } });
    expect((await signInAs(tab, person)).user).toMatchObject({ id: userId, identities: [{}] });
    expect((await signInAs(browser(), person)).user.id).toBe(userId);
    const other = await signedIn(service, (await account()).userId);
    await expect(signInAs(other, person)).rejects.toMatchObject({ details: { code: 'IDENTITY_TAKEN' } });
    expect(await other.people.getSession()).toMatchObject({ user: { identities: [] } });
  });

  test('by an address that is not verified, enters nothing', async () => {
    const { userId, email } = await account();
    await invite(newPerson().email as string);
    for (const verified of [{ email_verified: false }, {}]) {
      const { email_verified: _, ...person } = newPerson({ email });
      await expect(signInAs(browser(), { ...person, ...verified })).rejects.toMatchObject({
        status: 403,
        details: { reason: 'EMAIL_NOT_VERIFIED' },
      });
    }
    expect(await actionsOf(service, userId)).not.toContain('identity.link');
  });

  test('without an invitation stays outside, and leaves no account', async () => {
    const person = newPerson();
    const tab = browser();
    await expect(signInAs(tab, person)).rejects.toMatchObject({
      status: 403,
      details: { reason: 'NOT_INVITED' },
    });
    expect(tab.cookies.size).toBe(0);
    const database = await service.database.connect();
    const everything = await textOf(database);
    await database.end();
    expect(everything).not.toContain(person.email);
  });
});

test('where an organization is open everybody of the domains joins it as a member', async () => {
  const env = {
    ...settingsFor(provider.issuer),
    DRYDOCK_OIDC_ORGANIZATION: 'Drydock',
    DRYDOCK_OIDC_DOMAINS: 'harbour.example, example.org',
  };
  const open = await startForTest({ worker: false, env });
  const person = newPerson({ email: `${newId('p')}@Harbour.example` });
  const session = await signInAs(new Browser(open), person);
  expect(session.organizations).toMatchObject([{ name: 'Drydock', role: 'member' }]);
  expect(await actionsOf(open, session.user.id)).toContain('member.join');
  for (const stranger of [
    newPerson(),
    newPerson({ email: 'a@evil-harbour.example' }),
    newPerson({ email: 'a@harbour.example', email_verified: false }),
  ])
    await expect(signInAs(new Browser(open), stranger)).rejects.toMatchObject({
      details: { reason: 'DOMAIN_NOT_ALLOWED' },
    });
});

test('a provider that tells the address apart from the token is asked for it', async () => {
  const reserved = await startOpenIdProvider({ emailInToken: false });
  onTestFinished(reserved.stop);
  const env = { ...settingsFor(reserved.issuer), DRYDOCK_OIDC_ORGANIZATION: 'Drydock' };
  const open = await startForTest({ worker: false, env });
  const person = newPerson();
  const { user } = await signInAs(new Browser(open), person, { at: reserved });
  expect(user).toMatchObject({ email: person.email, name: 'Grace' });
});

describe('linking an identity', () => {
  const long = "update console_sessions set created_at = now() - interval '11 min' where user_id = $1";

  async function signedInLongAgo(hasPassword: boolean): Promise<{ tab: Browser; userId: string }> {
    const { userId } = await account();
    if (hasPassword) await givePassword(service, userId);
    const tab = await signedIn(service, userId, { 'x-forwarded-for': `10.0.0.${++addresses}` });
    await within(service, long, [userId]);
    return { tab, userId };
  }
  const confirm = { status: 403, details: { reason: 'CONFIRM' } };

  test('asks for the password of whoever signed in long ago', async () => {
    const { tab, userId } = await signedInLongAgo(true);
    await expect(tab.people.startOidc({ body: {} })).rejects.toMatchObject(confirm);
    const wrong = tab.people.startOidc({ body: { currentPassword: 'not the password' } });
    await expect(wrong).rejects.toMatchObject({ details: { reason: 'WRONG_PASSWORD' } });
    const { url } = await tab.people.startOidc({ body: { currentPassword: rightPassword } });
    const { search } = new URL(await provider.agree(url, newPerson()));
    const { user } = await tab.people.finishOidc({ body: { search } });
    expect(user).toMatchObject({ id: userId, identities: [{ issuer: provider.issuer }] });
    const without = await signedInLongAgo(false);
    await expect(without.tab.people.startOidc({ body: {} })).rejects.toMatchObject(confirm);
  });

  test('is for the session that began it: not for one that began since, nor for nobody', async () => {
    const { userId, email } = await account();
    await givePassword(service, userId);
    const tab = browser();
    const notHere = { status: 401, details: { reason: 'OIDC_STATE' } };
    const begun = async () => {
      const { url } = await tab.people.startOidc({ body: {} });
      return { search: new URL(await provider.agree(url, newPerson())).search };
    };
    const signedOut = await begun();
    await tab.people.signIn({ body: { email, password: rightPassword } });
    await expect(tab.people.finishOidc({ body: signedOut })).rejects.toMatchObject(notHere);
    const ofThisSession = await begun();
    await tab.people.signIn({ body: { email, password: rightPassword } });
    await expect(tab.people.finishOidc({ body: ofThisSession })).rejects.toMatchObject(notHere);
    expect(await tab.people.getSession()).toMatchObject({ user: { identities: [] } });
  });

  test('is undone by whoever linked it, which ends what it has opened; but not of the last way in', async () => {
    const { userId, email } = await account();
    const person = newPerson({ email });
    const [tab, other] = [browser(), browser()];
    const [identity] = (await signInAs(tab, person)).user.identities;
    await signInAs(other, person);
    const identityId = identity?.id as string;
    const unlink = (from: Browser) => from.people.unlinkIdentity({ identityId, body: {} });
    await expect(unlink(tab)).rejects.toMatchObject({ details: { code: 'LAST_WAY_IN' } });
    await expect(unlink(await signedIn(service, (await account()).userId))).rejects.toMatchObject({
      status: 404,
    });
    await within(service, long, [userId]);
    const choose = tab.people.changePassword({ body: { newPassword: rightPassword } });
    await expect(choose).rejects.toMatchObject(confirm);
    await givePassword(service, userId);
    await expect(unlink(tab)).rejects.toMatchObject(confirm);
    const body = { currentPassword: rightPassword };
    expect((await tab.people.unlinkIdentity({ identityId, body })).user.identities).toEqual([]);
    await expect(other.people.listMySessions()).rejects.toMatchObject({ status: 401 });
    await expect(signInAs(browser(), person)).rejects.toMatchObject({
      details: { code: 'SIGN_IN_TO_LINK' },
    });
    expect(await actionsOf(service, identityId)).toEqual(['identity.link', 'identity.unlink']);
  });

  test('outlives a new password, and whoever makes the link to one is told', async () => {
    const { userId, email } = await account();
    const [identity] = (await signInAs(browser(), newPerson({ email }))).user.identities;
    const admin = await signedIn(service, (await service.member('admin')).userId);
    const made = await admin.people.createResetLink({ organizationId, memberId: userId });
    expect(made.identities).toEqual([identity]);
    const body = { token: made.url.split('#')[1] as string, password: rightPassword };
    expect((await browser().people.useLink({ body })).user.identities).toEqual([identity]);
  });
});

test('the invitation of an administrator who is none any more opens nothing here either', async () => {
  const person = newPerson();
  const { userId } = await service.member('admin');
  const admin = await signedIn(service, userId);
  const body = { email: person.email as string, role: 'admin' as const };
  await admin.people.createInvitation({ organizationId, body });
  await setMember(service.db, { organization: organizationId }, { user: userId, role: 'member' });
  await expect(signInAs(browser(), person)).rejects.toMatchObject({ details: { reason: 'NOT_INVITED' } });
});

test('after twenty failures from one network address everybody there waits', async () => {
  const tab = new Browser(service, { 'x-forwarded-for': '10.9.0.1' });
  for (let attempt = 0; attempt < 20; attempt++) {
    await tab.people.startOidc({ body: {} });
    await expect(tab.people.finishOidc({ body: { search: '?code=x' } })).rejects.toMatchObject({
      status: 401,
    });
  }
  await tab.people.startOidc({ body: {} });
  await expect(tab.people.finishOidc({ body: { search: '?code=x' } })).rejects.toMatchObject({ status: 429 });
});

const lies: [string, Lie][] = [
  ['a nonce of another attempt', { claims: { nonce: 'of-another-attempt' } }],
  ['no nonce', { claims: { nonce: undefined } }],
  ['another issuer', { claims: { iss: 'https://evil.example' } }],
  ['another audience', { claims: { aud: 'somebody-else' } }],
  ['a token of yesterday', { claims: { exp: 1, iat: 0 } }],
  ['a signature by another key', { key: anotherKey() }],
  ['no signature', { algorithm: 'none' }],
];

const detours: [string, (search: string) => string][] = [
  ['another state', (search) => search.replace(/state=[^&]*/, 'state=another')],
  ['no state', (search) => search.replace(/&?state=[^&]*/, '')],
  ['another code', (search) => search.replace(/code=[^&]*/, 'code=another')],
  ['a refusal', (search) => search.replace(/code=[^&]*/, 'error=access_denied')],
  ['nothing', () => ''],
  ['what is no query', () => '%%%&&&=='],
];

describe('refused, with nobody signed in', () => {
  const attempts: [string, Detour][] = [
    ...lies.map(([what, lie]): [string, Detour] => [what, { lie }]),
    ...detours.map(([what, spoil]): [string, Detour] => [what, { spoil }]),
  ];

  test.each(attempts)('%s', async (_, detour) => {
    const { email } = await account();
    const tab = browser();
    await expect(signInAs(tab, newPerson({ email }), detour)).rejects.toMatchObject({
      status: 401,
      code: 'UNAUTHORIZED',
      details: { reason: expect.stringMatching(/^OIDC_/) },
    });
    expect(tab.cookies.size).toBe(0);
  });

  test('what was begun in another browser, and what was finished before', async () => {
    const { email } = await account();
    const person = newPerson({ email });
    const [victim, attacker] = [browser(), browser()];
    const { url } = await attacker.people.startOidc({ body: {} });
    const { search } = new URL(await provider.agree(url, person));
    const kept = new Map(attacker.cookies);
    const notHere = { status: 401, details: { reason: 'OIDC_STATE' } };
    await expect(victim.people.finishOidc({ body: { search } })).rejects.toMatchObject(notHere);
    // A sign-in that the victim started has another state.
    await victim.people.startOidc({ body: {} });
    await expect(victim.people.finishOidc({ body: { search } })).rejects.toMatchObject({ status: 401 });
    await attacker.people.finishOidc({ body: { search } });
    await expect(attacker.people.finishOidc({ body: { search } })).rejects.toMatchObject(notHere);
    // The attacker's cookie does not help either: the provider accepts a code once.
    for (const [name, value] of kept) victim.cookies.set(name, value);
    await expect(victim.people.finishOidc({ body: { search } })).rejects.toMatchObject({ status: 401 });
  });

  test.each([
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/console\\@evil.example',
    '/consoles',
    '/console@evil.example',
    'javascript:alert(1)',
    '/console/\n/evil.example',
    '',
  ])('to go on at %j', async (returnTo) => {
    await expect(browser().people.startOidc({ body: { returnTo } })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('returnTo'),
    });
  });
});

test('the code is bound to a verifier that only this service knows', async () => {
  const { email } = await account();
  const tab = browser();
  const { url } = await tab.people.startOidc({ body: {} });
  const { searchParams } = new URL(url);
  expect(searchParams.get('redirect_uri')).toBe(`${service.origin}/console/oidc`);
  const { search } = new URL(await provider.agree(url, newPerson({ email })));
  await tab.people.finishOidc({ body: { search } });
  const verifier = provider.tokenRequests.at(-1)?.['code_verifier'] as string;
  expect(verifier.length).toBeGreaterThan(42);
  const shown = url + JSON.stringify([...tab.cookies]) + service.logs.join('');
  for (const secret of [verifier, client.secret]) expect(shown).not.toContain(secret);
});

test('a provider that was away at the start is found when it comes, and missed when it goes', async () => {
  const before = await startOpenIdProvider();
  await before.stop();
  const port = Number(new URL(before.issuer).port);
  const open = await startForTest({
    worker: false,
    env: { ...settingsFor(before.issuer), DRYDOCK_OIDC_ORGANIZATION: 'Drydock' },
  });
  const away = { status: 502, message: expect.stringContaining('Harbour does not answer') };
  const tab = new Browser(open);
  await expect(tab.people.startOidc({ body: {} })).rejects.toMatchObject(away);
  const back = await startOpenIdProvider({ port });
  onTestFinished(back.stop);
  const person = newPerson();
  const { user } = await signInAs(tab, person, { at: back });
  expect(user.email).toBe(person.email);
  const later = new Browser(open);
  const { url } = await later.people.startOidc({ body: {} });
  const { search } = new URL(await back.agree(url, person));
  await back.stop();
  await expect(later.people.finishOidc({ body: { search } })).rejects.toMatchObject(away);
  // Passwords still work.
  const email = `${newId('p')}@example.com`;
  await givePassword(open, await createUser(open.db, { email, name: 'x' }));
  await later.people.signIn({ body: { email, password: rightPassword } });
});
