// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createConsoleLink } from '../src/domain/operator/console-link.ts';
import { removeMember, setMember } from '../src/domain/operator/members.ts';
import { deleteUser, setOperator } from '../src/domain/operator/users.ts';
import { type Db, InTransaction } from '../src/platform/database/database.ts';
import * as links from '../src/platform/database/queries/console-links.ts';
import * as sessions from '../src/platform/database/queries/console-sessions.ts';
import { newId } from '../src/platform/ids.ts';
import { Browser, rightPassword } from './support/browser.ts';
import { actionsOf, givePassword, signedIn } from './support/people.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';
import { textOf } from './support/snapshot.ts';
import { statement } from './support/statement.ts';

let service: TestService;
let admin: Browser;
let organizationId: string;

beforeAll(async () => {
  service = await startTestService({ worker: false });
  admin = await signedIn(service, (await service.member('admin')).userId);
  organizationId = ((await admin.people.getSession()) as { organizationId: string }).organizationId;
});
afterAll(() => dispose(service));

const tokenIn = (url: string): string => url.split('#')[1] as string;

async function invite(email: string, role: 'owner' | 'admin' | 'member' = 'member') {
  const made = await admin.people.createInvitation({ organizationId, body: { email, role } });
  return { ...made, token: tokenIn(made.url) };
}

const newEmail = (): string => `${newId('p')}@example.com`;
const dead = (reason: string) => ({ status: 404, details: { reason } });

describe('the first boot', () => {
  test('makes a link that signs the owner in, who runs the installation', async () => {
    const { consoleUrl } = service.running;
    expect(consoleUrl).toMatch(new RegExp(`^${service.origin}/console/enter#[\\w-]{43}$`));
    const tab = new Browser(service);
    const token = tokenIn(consoleUrl);
    expect(await tab.people.readLink({ body: { token } })).toMatchObject({
      kind: 'sign-in',
      email: 'owner@drydock.local',
      needs: 'nothing',
    });
    // Reading the link, as a mail scanner does, does not use it.
    const { user } = await tab.people.useLink({ body: { token } });
    expect(user).toMatchObject({ name: 'Owner', operator: true, hasPassword: false });
    await tab.people.changePassword({ body: { newPassword: rightPassword } });
    const email = newEmail();
    const body = { name: 'Ada', email, currentPassword: rightPassword };
    expect((await tab.people.updateProfile({ body })).user).toMatchObject({ name: 'Ada', email });
    await expect(new Browser(service).people.useLink({ body: { token } })).rejects.toMatchObject(
      dead('USED'),
    );
  });
});

describe('a link', () => {
  test('works once, for whoever is first', async () => {
    const { userId } = await service.member('member');
    const { token } = await createConsoleLink(service.db, userId);
    const uses = Array.from({ length: 5 }, () => new Browser(service).people.useLink({ body: { token } }));
    const outcomes = await Promise.allSettled(uses);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await actionsOf(service, userId)).toEqual(
      expect.arrayContaining(['link.create', 'link.use', 'session.begin']),
    );
  });

  test('ends in time, and with a new password', async () => {
    const { userId } = await service.member('member');
    const { token, id } = await createConsoleLink(service.db, userId);
    await within("update console_links set expires_at = now() - interval '1 s' where id = $1", [id]);
    for (const call of ['readLink', 'useLink'] as const)
      await expect(new Browser(service).people[call]({ body: { token } })).rejects.toMatchObject(
        dead('EXPIRED'),
      );
    const second = await createConsoleLink(service.db, userId);
    const tab = await signedIn(service, userId);
    await tab.people.changePassword({ body: { newPassword: rightPassword } });
    await expect(
      new Browser(service).people.useLink({ body: { token: second.token } }),
    ).rejects.toMatchObject(dead('WITHDRAWN'));
  });

  test('is kept as a hash, and in no log', async () => {
    const { token } = await invite(newEmail());
    const database = await service.database.connect();
    const everything = `${await textOf(database)} ${service.logs.join('')}`;
    await database.end();
    expect(everything).not.toContain(token);
  });
});

describe('an invitation', () => {
  test('makes an account with a name and a password, in the organization with the role', async () => {
    const email = newEmail();
    const { token, invitation, mailed } = await invite(email, 'admin');
    expect(mailed).toBe(false);
    const listed = (await admin.people.listInvitations({ organizationId })).items;
    expect(listed).toContainEqual(invitation);
    const tab = new Browser(service);
    expect(await tab.people.readLink({ body: { token } })).toMatchObject({
      kind: 'invitation',
      email,
      organizationName: 'Drydock',
      role: 'admin',
      needs: 'name and password',
    });
    await expect(tab.people.useLink({ body: { token } })).rejects.toMatchObject({ status: 400 });
    const weak = { token, password: 'password1234' };
    await expect(tab.people.useLink({ body: weak })).rejects.toMatchObject({ status: 400 });
    const session = await tab.people.useLink({ body: { token, name: 'Grace', password: rightPassword } });
    expect(session).toMatchObject({
      user: { email, name: 'Grace', hasPassword: true, operator: false },
      organizations: [{ id: organizationId, role: 'admin' }],
    });
    expect((await tab.api.getMe()).email).toBe(email);
    await new Browser(service).people.signIn({ body: { email, password: rightPassword } });
    expect(await actionsOf(service, session.user.id)).toEqual(
      expect.arrayContaining(['user.create', 'invitation.accept', 'session.begin']),
    );
    expect((await admin.people.listInvitations({ organizationId })).items).not.toContainEqual(invitation);
    const again = admin.people.createInvitation({ organizationId, body: { email, role: 'member' } });
    await expect(again).rejects.toMatchObject({ details: { code: 'ALREADY_MEMBER' } });
  });

  test('is accepted once, also by many at once', async () => {
    const { token } = await invite(newEmail());
    const body = { token, name: 'Grace', password: rightPassword };
    const uses = Array.from({ length: 3 }, () => new Browser(service).people.useLink({ body }));
    const outcomes = await Promise.allSettled(uses);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(new Browser(service).people.useLink({ body })).rejects.toMatchObject(dead('USED'));
  });

  test('does not open an account that there is: its owner signs in to accept', async () => {
    const { userId, organizationId: theirs } = await service.stranger();
    await givePassword(service, userId);
    const { email } = await emailOf(userId);
    const { token } = await invite(email);
    const finder = new Browser(service);
    expect((await finder.people.readLink({ body: { token } })).needs).toBe('sign-in');
    const taken = finder.people.useLink({ body: { token, name: 'X', password: 'a new one for them' } });
    await expect(taken).rejects.toMatchObject({ status: 401, details: { reason: 'SIGN_IN_FIRST' } });
    await expect(admin.people.useLink({ body: { token } })).rejects.toMatchObject({ status: 401 });
    await finder.people.signIn({ body: { email, password: rightPassword } });
    expect((await finder.people.readLink({ body: { token } })).needs).toBe('nothing');
    const { organizations, sessionId } = await finder.people.useLink({ body: { token } });
    expect(organizations.map(({ id }) => id)).toEqual([organizationId, theirs].toSorted());
    expect((await finder.people.listMySessions()).items.find(({ current }) => current)?.id).toBe(sessionId);
  });

  test('stops working when it is taken back, or when there is a newer one', async () => {
    const email = newEmail();
    const first = await invite(email);
    const second = await invite(email.toUpperCase());
    await expect(admin.people.readLink({ body: { token: first.token } })).rejects.toMatchObject(
      dead('WITHDRAWN'),
    );
    const { id: invitationId } = second.invitation;
    await admin.people.revokeInvitation({ organizationId, invitationId });
    await expect(admin.people.readLink({ body: { token: second.token } })).rejects.toMatchObject(
      dead('WITHDRAWN'),
    );
    await expect(admin.people.revokeInvitation({ organizationId, invitationId })).rejects.toMatchObject({
      status: 404,
    });
  });

  test('to be an owner is for owners to make', async () => {
    const owner = await signedIn(service, (await service.member('owner')).userId);
    const body = { email: newEmail(), role: 'owner' as const };
    await expect(admin.people.createInvitation({ organizationId, body })).rejects.toMatchObject({
      status: 403,
      details: { reason: 'OWNER_NEEDED' },
    });
    expect((await owner.people.createInvitation({ organizationId, body })).invitation.role).toBe('owner');
  });
});

describe('a link is worth no more than its maker by the time it is used', () => {
  interface Cast {
    maker: string;
    member: string;
    tab: Browser;
  }
  type Make = (cast: Cast) => Promise<{ url: string }>;

  const inviteAs =
    (role: 'owner' | 'admin' | 'member'): Make =>
    ({ tab }) =>
      tab.people.createInvitation({ organizationId, body: { email: newEmail(), role } });
  const reset: Make = ({ tab, member: memberId }) => tab.people.createResetLink({ organizationId, memberId });
  const become = (who: 'maker' | 'member', role: string) => (cast: Cast) =>
    setMember(service.db, { organization: organizationId }, { user: cast[who], role });
  const leave = (who: 'maker' | 'member') => (cast: Cast) =>
    removeMember(service.db, { organization: organizationId }, cast[who]);

  const cases: [string, 'owner' | 'admin', Make, (cast: Cast) => Promise<unknown>, works?: true][] = [
    ['an invitation of a demoted admin', 'admin', inviteAs('member'), become('maker', 'member')],
    ['an invitation of a removed admin', 'admin', inviteAs('admin'), leave('maker')],
    [
      'an invitation of a deleted account',
      'owner',
      inviteAs('admin'),
      ({ maker }) => deleteUser(service.db, maker),
    ],
    [
      'an invitation to own, of an owner who is admin now',
      'owner',
      inviteAs('owner'),
      become('maker', 'admin'),
    ],
    [
      'an invitation of an owner who is admin now',
      'owner',
      inviteAs('admin'),
      become('maker', 'admin'),
      true,
    ],
    ['a new password, by a demoted admin', 'admin', reset, become('maker', 'member')],
    ['a new password, by a removed admin', 'admin', reset, leave('maker')],
    ['a new password, by a deleted account', 'owner', reset, ({ maker }) => deleteUser(service.db, maker)],
    ['a new password of a member who is owner now', 'admin', reset, become('member', 'owner')],
    ['a new password of a member who is gone', 'owner', reset, leave('member')],
    [
      'a new password of a member who runs the installation now',
      'owner',
      reset,
      ({ member }) => setOperator(service.db, member, true),
    ],
    [
      'a new password of a member who belongs to others too now',
      'owner',
      reset,
      async ({ member: user }) => {
        const { organizationId: organization } = await service.stranger();
        await setMember(service.db, { organization }, { user, role: 'member' });
      },
    ],
    ['a new password of a member who is admin now', 'admin', reset, become('member', 'admin'), true],
  ];

  test.each(cases)('%s', async (_, role, make, meanwhile, works) => {
    const { userId: maker } = await service.member(role);
    const { userId: member } = await service.member('member');
    const cast = { maker, member, tab: await signedIn(service, maker) };
    const token = tokenIn((await make(cast)).url);
    const tab = new Browser(service);
    await tab.people.readLink({ body: { token } });
    await meanwhile(cast);
    const use = () => tab.people.useLink({ body: { token, name: 'Grace', password: rightPassword } });
    const listed = (await admin.people.listInvitations({ organizationId })).items.map(
      ({ invitedBy }) => invitedBy?.id,
    );
    expect(listed.includes(maker)).toBe(works === true && make !== reset);
    if (works) return void (await use());
    const refused = dead('MAKER_NOT_ALLOWED');
    await expect(tab.people.readLink({ body: { token } })).rejects.toMatchObject(refused);
    await expect(use()).rejects.toMatchObject(refused);
    expect(tab.cookies.size).toBe(0);
  });

  test('invitations to own an organization are taken back and replaced by owners', async () => {
    const owner = await signedIn(service, (await service.member('owner')).userId);
    const email = newEmail();
    const made = await owner.people.createInvitation({ organizationId, body: { email, role: 'owner' } });
    const ownerNeeded = { status: 403, details: { reason: 'OWNER_NEEDED' } };
    const invitationId = made.invitation.id;
    const take = (tab: Browser) => tab.people.revokeInvitation({ organizationId, invitationId });
    await expect(take(admin)).rejects.toMatchObject(ownerNeeded);
    await expect(invite(email.toUpperCase())).rejects.toMatchObject(ownerNeeded);
    await admin.people.readLink({ body: { token: tokenIn(made.url) } });
    await take(owner);
    await expect(admin.people.readLink({ body: { token: tokenIn(made.url) } })).rejects.toMatchObject({
      ...dead('WITHDRAWN'),
      message: expect.stringContaining('was revoked'),
    });
    await invite(email);
  });
});

describe('a link to a new password', () => {
  test('and one that signs in, used while the password is changed: whichever is second sees the first', async () => {
    const { userId } = await service.member('member');
    const tab = await signedIn(service, userId);
    const { id, token } = await createConsoleLink(service.db, userId);
    const client = await service.database.connect();
    const meanwhile = async (work: (db: Db) => Promise<unknown>, other: () => Promise<unknown>) => {
      await client.query('begin');
      await client.query('select from users where id = $1 for no key update', [userId]);
      await work(new InTransaction(client));
      // `allSettled` handles a rejection that arrives before the commit is answered.
      const outcome = Promise.allSettled([other()]);
      await expect.poll(() => service.db.rows(waitingForLocks)).toHaveLength(1);
      await client.query('commit');
      const [settled] = await outcome;
      if (settled.status === 'rejected') throw settled.reason;
    };
    // The link is used and its session created in a transaction that the password change does not see yet.
    await meanwhile(
      async (db) => {
        await db.run(links.use, { id });
        const session = { id: 'ses_raced', hash: Buffer.from('raced'), userId, way: 'link' } as const;
        await db.run(sessions.insert, { ...session, address: '', organizationId: null, userAgent: null });
      },
      () => tab.people.changePassword({ body: { newPassword: rightPassword } }),
    );
    expect((await tab.people.listMySessions()).items).toHaveLength(1);
    await expect(tab.people.readLink({ body: { token } })).rejects.toMatchObject(dead('USED'));
    // The reverse: the link is withdrawn while it is used.
    const second = await createConsoleLink(service.db, userId);
    const use = meanwhile(
      (db) => db.run(links.endOf, { userId }),
      () => new Browser(service).people.useLink({ body: { token: second.token } }),
    );
    await expect(use).rejects.toMatchObject(dead('WITHDRAWN'));
    await client.end();
  });

  test('sets it, ends every session and every other link, and signs in', async () => {
    const { userId } = await service.member('member');
    const before = await signedIn(service, userId);
    const { email } = await emailOf(userId);
    const make = () => admin.people.createResetLink({ organizationId, memberId: userId });
    const [first, second] = [await make(), await make()];
    const tab = new Browser(service);
    const token = tokenIn(second.url);
    expect(await tab.people.readLink({ body: { token } })).toMatchObject({
      kind: 'reset',
      email,
      needs: 'password',
    });
    await tab.people.useLink({ body: { token, password: rightPassword } });
    await expect(before.people.listMySessions()).rejects.toMatchObject({ status: 401 });
    const other = { token: tokenIn(first.url), password: rightPassword };
    await expect(tab.people.useLink({ body: other })).rejects.toMatchObject({ status: 404 });
    await new Browser(service).people.signIn({ body: { email, password: rightPassword } });
    expect(await actionsOf(service, userId)).toEqual(
      expect.arrayContaining(['password.make-reset-link', 'password.reset']),
    );
  });

  test('reaches no further than the organization of whoever makes it', async () => {
    const make = (tab: Browser, memberId: string) => tab.people.createResetLink({ organizationId, memberId });
    const owner = await service.member('owner');
    const self = ((await admin.people.getSession()) as { user: { id: string } }).user.id;
    await expect(make(admin, self)).rejects.toMatchObject({ details: { reason: 'OWN_ACCOUNT' } });
    await expect(make(admin, owner.userId)).rejects.toMatchObject({ details: { reason: 'OWNER_NEEDED' } });
    const both = (await service.stranger()).userId;
    await setMember(service.db, { organization: organizationId }, { user: both, role: 'member' });
    const operator = await service.member('member');
    await setOperator(service.db, operator.userId, true);
    const ofOwner = await signedIn(service, owner.userId);
    for (const memberId of [both, operator.userId])
      await expect(make(ofOwner, memberId)).rejects.toMatchObject({ details: { reason: 'OPERATOR_NEEDED' } });
    await setOperator(service.db, owner.userId, true);
    expect((await make(ofOwner, both)).url).toContain('/console/enter#');
    const stranger = (await service.stranger()).userId;
    await expect(make(ofOwner, stranger)).rejects.toMatchObject({ status: 404 });
  });
});

const waitingForLocks = statement(
  'test.waiting-for-locks',
  `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
);

async function emailOf(id: string): Promise<{ email: string }> {
  const database = await service.database.connect();
  const { rows } = await database.query<{ email: string }>('select email from users where id = $1', [id]);
  await database.end();
  return rows[0] as { email: string };
}

async function within(statement: string, values: unknown[]): Promise<void> {
  const database = await service.database.connect();
  await database.query(statement, values);
  await database.end();
}
