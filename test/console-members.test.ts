import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listMembers, removeMember, setMember } from '../src/domain/operator/members.ts';
import { createOrganization } from '../src/domain/operator/organizations.ts';
import { createUser, deleteUser, setOperator } from '../src/domain/operator/users.ts';
import { newId } from '../src/platform/ids.ts';
import { eachItem } from '../src/surfaces/client/index.ts';
import { Browser, rightPassword } from './support/browser.ts';
import { givePassword, signedIn } from './support/people.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';

let service: TestService;
let organizationId: string;

beforeAll(async () => {
  service = await startTestService({
    worker: false,
    env: { DRYDOCK_SMTP_URL: 'smtp://user:tell-nobody@127.0.0.1:1', ANTHROPIC_API_KEY: 'tell-nobody-else' },
  });
  organizationId = (await service.get('/organizations')).body.items[0].id as string;
});
afterAll(() => dispose(service));

type Role = 'owner' | 'admin' | 'member';

interface Somebody {
  userId: string;
  key: string;
  tab: Browser;
}

async function somebody(role: Role): Promise<Somebody> {
  const { userId, key } = await service.member(role);
  return { userId, key, tab: await signedIn(service, userId) };
}

const newUser = (name: string): Promise<string> =>
  createUser(service.db, { email: `${newId(name)}@x.org`, name });

const setRole = ({ tab }: Somebody, { userId: memberId }: Somebody, role: Role) =>
  tab.people.setMember({ organizationId, memberId, body: { role } });
const remove = ({ tab }: Somebody, { userId: memberId }: Somebody) =>
  tab.people.removeMember({ organizationId, memberId });
const ownerNeeded = { status: 403, details: { reason: 'OWNER_NEEDED' } };

describe('members of an organization', () => {
  test('are promoted and removed; what they had stops at once', async () => {
    const [admin, member] = [await somebody('admin'), await somebody('member')];
    await expect(member.tab.people.listInvitations({ organizationId })).rejects.toMatchObject({
      status: 403,
    });
    expect(await setRole(admin, member, 'admin')).toMatchObject({ userId: member.userId, role: 'admin' });
    await member.tab.people.listInvitations({ organizationId });
    expect(await remove(admin, member)).toEqual({ userId: member.userId, removed: true });
    expect((await service.get('/me', { key: member.key })).status).toBe(401);
    await expect(member.tab.people.listMembers({ organizationId })).rejects.toMatchObject({ status: 404 });
    expect((await member.tab.people.getSession()).signedIn).toBe(true);
    await expect(setRole(admin, member, 'member')).rejects.toMatchObject({ status: 404 });
    await expect(remove(admin, member)).rejects.toMatchObject({ status: 404 });
  });

  test('only owners decide about owners', async () => {
    const [owner, admin, member] = [
      await somebody('owner'),
      await somebody('admin'),
      await somebody('member'),
    ];
    await expect(setRole(admin, member, 'owner')).rejects.toMatchObject(ownerNeeded);
    await expect(setRole(admin, owner, 'member')).rejects.toMatchObject(ownerNeeded);
    await expect(remove(admin, owner)).rejects.toMatchObject(ownerNeeded);
    await expect(setRole(member, member, 'admin')).rejects.toMatchObject({ status: 403 });
    expect((await setRole(owner, member, 'owner')).role).toBe('owner');
    expect((await setRole(owner, member, 'member')).role).toBe('member');
  });

  /** Each way to remove an owner, on each surface. */
  const farewells: Record<string, (tab: Browser, organization: string, user: string) => Promise<unknown>> = {
    'remove in the console': (tab, id, memberId) => tab.people.removeMember({ organizationId: id, memberId }),
    'demote in the console': (tab, id, memberId) =>
      tab.people.setMember({ organizationId: id, memberId, body: { role: 'member' } }),
    'remove by command': (_tab, organization, user) => removeMember(service.db, { organization }, user),
    'demote by command': (_tab, organization, user) =>
      setMember(service.db, { organization }, { user, role: 'admin' }),
    'delete the account': (_tab, _organization, user) => deleteUser(service.db, user),
  };
  const ways = Object.keys(farewells) as [string, ...string[]];
  const pairs = ways.flatMap((one, at) => ways.slice(at).map((other) => [one, other] as const));

  test.each(pairs)('the last owner stays one, also when two owners %s and %s', async (one, other) => {
    const [a, b] = [await newUser('one'), await newUser('two')];
    const { id } = await createOrganization(service.db, { name: newId('o'), owner: a });
    const [first, second] = [await signedIn(service, a), await signedIn(service, b)];
    await expect(farewells[one]?.(first, id, a)).rejects.toThrow('is the only owner of the organization o_');
    await expect(farewells[other]?.(first, id, a)).rejects.toThrow('Make another member an owner first');
    await setMember(service.db, { organization: id }, { user: b, role: 'owner' });
    const outcomes = await Promise.allSettled([
      farewells[one]?.(first, id, b),
      farewells[other]?.(second, id, a),
    ]);
    const left = await listMembers(service.db, { organization: id });
    expect(left.filter(({ role }) => role === 'owner')).toHaveLength(1);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('are listed page by page; when they were here is for administrators', async () => {
    const [admin, member] = [await somebody('admin'), await somebody('member')];
    const all = async ({ tab }: Somebody) => {
      const found = [];
      for await (const one of eachItem(tab.people.listMembers, { organizationId, limit: 2 })) found.push(one);
      return found;
    };
    const seen = await all(admin);
    expect(seen.find(({ userId }) => userId === member.userId)).toMatchObject({
      role: 'member',
      hasPassword: false,
      lastSeenAt: expect.any(Number),
    });
    expect(new Set((await all(member)).map(({ lastSeenAt }) => lastSeenAt))).toEqual(new Set([null]));
    expect(seen.map(({ userId }) => userId)).toEqual(seen.map(({ userId }) => userId).toSorted());
  });
});

test('members of a project are those who may enter it; invitations are made and taken back', async () => {
  const [owner, admin, member] = [await somebody('owner'), await somebody('admin'), await somebody('member')];
  const { id: projectId } = await owner.tab.api.createProject({ body: { name: 'P', visibility: 'private' } });
  const inside = async () => (await owner.tab.people.listProjectMembers({ projectId })).items;
  const enter = () => member.tab.api.getProjectCapabilities({ projectId });
  expect((await inside()).find(({ userId }) => userId === admin.userId)).toMatchObject({
    role: 'admin',
    invited: false,
  });
  await expect(enter()).rejects.toMatchObject({ status: 403 });
  const set = (role: 'admin' | 'member', { tab }: Somebody = owner, { userId: memberId } = member) =>
    tab.people.setProjectMember({ projectId, memberId, body: { role } });
  expect(await set('member')).toMatchObject({ userId: member.userId, role: 'member', invited: true });
  await enter();
  await expect(set('admin', member)).rejects.toMatchObject({ status: 403 });
  await set('admin');
  // A project administrator can invite others of the same organization.
  expect(await set('admin', member, admin)).toMatchObject({ role: 'admin', invited: true });
  const stranger = await service.stranger();
  await expect(set('member', owner, { ...member, ...stranger })).rejects.toMatchObject({ status: 404 });
  const drop = { projectId, projectMemberId: member.userId };
  await owner.tab.people.removeProjectMember(drop);
  await expect(enter()).rejects.toMatchObject({ status: 403 });
  await expect(owner.tab.people.removeProjectMember(drop)).rejects.toMatchObject({ status: 404 });
  await owner.tab.api.updateProject({ projectId, body: { visibility: 'public' } });
  expect(await inside()).toContainEqual(expect.objectContaining({ userId: member.userId, invited: false }));
});

test.each([
  ['a<b@example.com', 'Ada'],
  ['"a"@example.com', 'Ada'],
  ['a@exam>ple.com', 'Ada'],
  ['a\u200bb@example.com', 'Ada'],
  ['a\u0007@example.com', 'Ada'],
  ['a@example.com', 'A\u202eda'],
  ['a@example.com', 'A\u2066da'],
  ['a@example.com', 'A\u200bda'],
  ['a@example.com', 'A\u200dda'],
  ['a@example.com', 'A\ufeffda'],
  ['a@example.com', 'A\u0000da'],
  ['a@example.com', 'A\nda'],
])('%j with the name %j is no person', async (email, name) => {
  const { tab } = await somebody('admin');
  const refused =
    name === 'Ada'
      ? tab.people.createInvitation({ organizationId, body: { email, role: 'member' } })
      : tab.people.updateProfile({ body: { name } });
  await expect(refused).rejects.toMatchObject({ status: 400 });
});

test('names of scripts and emoji that need joiners are names', async () => {
  const { tab } = await somebody('member');
  for (const name of ['علی\u200cرضا', '👩\u200d🚀 Ada', 'Zoë Müller-Łukasz'])
    expect((await tab.people.updateProfile({ body: { name } })).user.name).toBe(name);
});

test('an organization is renamed, and its logo set and taken away', async () => {
  const { tab } = await somebody('admin');
  const update = (body: { name?: string; logoUrl?: string | null }) =>
    tab.people.updateOrganization({ organizationId, body });
  const logoUrl = 'https://example.com/logo.svg';
  expect(await update({ name: 'Shipyard', logoUrl })).toEqual({
    id: organizationId,
    name: 'Shipyard',
    logoUrl,
  });
  expect(await update({ logoUrl: null })).toEqual({ id: organizationId, name: 'Shipyard', logoUrl: null });
  for (const refused of ['javascript:alert(1)', 'https://user:word@example.com/logo.svg'])
    await expect(update({ logoUrl: refused })).rejects.toMatchObject({ status: 400 });
  await expect(update({})).rejects.toMatchObject({ status: 400 });
});

describe('the audit', () => {
  test('has every way in and out, every key and every change of a role, with who did it', async () => {
    const [owner, member] = [await somebody('owner'), await somebody('member')];
    await givePassword(service, member.userId);
    const { email } = await member.tab.api.getMe();
    const since = Date.now();
    const tab = new Browser(service);
    const wrong = { email, password: 'not the password' };
    await expect(tab.people.signIn({ body: wrong })).rejects.toMatchObject({ status: 401 });
    const { sessionId } = await tab.people.signIn({ body: { email, password: rightPassword } });
    const { id: keyId } = await tab.people.createKey({ organizationId, body: { name: 'k' } });
    await tab.people.revokeKey({ organizationId, keyId });
    await tab.people.signOut();
    await setRole(owner, member, 'admin');
    await setRole(owner, member, 'owner');
    await remove(owner, member);
    const { userId } = member;
    const events = async (filters: object) =>
      (await owner.tab.people.listAuditEvents({ organizationId, from: since, ...filters })).items.map(
        ({ action, actor, target }) => `${actor.id} ${action} ${target}`,
      );
    expect(await events({ actor: userId })).toEqual([
      `${userId} session.end ${sessionId}`,
      `${userId} key.revoke ${keyId}`,
      `${userId} key.create ${keyId}`,
      `${userId} session.begin ${sessionId}`,
    ]);
    // Refused requests are audited after the response.
    await expect.poll(() => events({ target: userId })).toHaveLength(4);
    expect(new Set(await events({ target: userId }))).toEqual(
      new Set([
        `${owner.userId} member.remove ${userId}`,
        `${owner.userId} member.make-owner ${userId}`,
        `${owner.userId} member.make-admin ${userId}`,
        `visitor session.refuse ${userId}`,
      ]),
    );
    const { items } = await owner.tab.people.listAuditEvents({ organizationId, from: since });
    const details = Object.fromEntries(items.map((event) => [event.action, event.details]));
    expect(details).toMatchObject({
      'member.remove': { email, role: 'owner' },
      'member.make-owner': { email, oldRole: 'admin', newRole: 'owner' },
      'member.make-admin': { email, oldRole: 'member', newRole: 'admin' },
      'key.create': { name: 'k', hint: expect.stringMatching(/^sk_/) },
      'key.revoke': { name: 'k', hint: expect.stringMatching(/^sk_/), userId },
      'session.begin': { way: 'password', address: '127.0.0.1' },
      'session.refuse': { address: '127.0.0.1' },
    });
  });

  test('is filtered by who, what, where and when, page by page, for administrators', async () => {
    const [admin, member] = [await somebody('admin'), await somebody('member')];
    const { id: projectId } = await admin.tab.api.createProject({ body: { name: 'Audited' } });
    const key = await member.tab.people.createKey({ organizationId, body: { name: 'k' } });
    const list = (filters: object) => admin.tab.people.listAuditEvents({ organizationId, ...filters });
    const actions = async (filters: object) => (await list(filters)).items.map(({ action }) => action);
    expect(await actions({ actor: member.userId, action: 'key.*' })).toEqual(['key.create']);
    expect(await actions({ target: key.id })).toEqual(['key.create']);
    expect(await actions({ action: 'key.c%' })).toEqual([]);
    await admin.tab.api.updateProject({ projectId, body: { name: 'Renamed' } });
    expect(await actions({ projectId })).toEqual(['project.update']);
    const [event] = (await list({ target: key.id })).items;
    expect(event).toMatchObject({
      actor: { id: member.userId, name: 'member' },
      requestId: expect.stringMatching(/^req_/),
    });
    const at = event?.at as number;
    expect(await actions({ target: key.id, from: at, to: at + 1 })).toEqual(['key.create']);
    expect(await actions({ target: key.id, to: at })).toEqual([]);
    const ids = [];
    const all = eachItem(admin.tab.people.listAuditEvents, {
      organizationId,
      actor: member.userId,
      limit: 1,
    });
    for await (const { id } of all) ids.push(id);
    expect(ids.length).toBeGreaterThan(1);
    expect(ids).toEqual(ids.toSorted().toReversed());
    await expect(member.tab.people.listAuditEvents({ organizationId })).rejects.toMatchObject({
      status: 403,
    });
  });
});

test('an operator sees how the installation is, and no secret of it', async () => {
  const owner = await somebody('owner');
  await expect(owner.tab.people.getInstallation()).rejects.toMatchObject({ status: 403 });
  await setOperator(service.db, owner.userId, true);
  const installation = await owner.tab.people.getInstallation();
  expect(installation).toMatchObject({
    version: expect.stringMatching(/^\d/),
    database: { embedded: false, bytes: expect.any(Number), connections: { most: 5 } },
    models: expect.arrayContaining([expect.objectContaining({ id: 'drydock/rehearsal', state: 'ready' })]),
    queues: expect.arrayContaining([expect.objectContaining({ kind: 'trials', failed: null })]),
  });
  expect(new Set(installation.models.map(({ state }) => state))).toEqual(new Set(['ready', 'no key']));
  const setting = (name: string) => installation.settings.find((one) => one.name === name)?.value;
  expect(setting('DRYDOCK_SMTP_URL')).toBe('(set)');
  expect(setting('DRYDOCK_CONSOLE_RATE_LIMIT')).toBe('600/200');
  expect(setting('DRYDOCK_OIDC_ISSUER')).toBe('(none)');
  expect(JSON.stringify(installation)).not.toContain('tell-nobody');
  await setOperator(service.db, owner.userId, false);
  await expect(owner.tab.people.getInstallation()).rejects.toMatchObject({ status: 403 });
});
