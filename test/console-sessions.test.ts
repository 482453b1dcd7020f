// @module-tag long
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { removeMember, setMember } from '../src/domain/operator/members.ts';
import { deleteUser } from '../src/domain/operator/users.ts';
import { type Browser, rightPassword } from './support/browser.ts';
import { signedIn } from './support/people.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';
import { scaled } from './support/slowdown.ts';

/** Events that end a session or its access apply to the next request, and end streams within seconds. */

let service: TestService;
let database: pg.Client;
let organization: string;

beforeAll(async () => {
  service = await startTestService({ worker: false });
  database = await service.database.connect();
  organization = (await service.get('/organizations')).body.items[0].id as string;
});
afterAll(async () => {
  await database?.end();
  await dispose(service);
});

interface Situation {
  userId: string;
  tab: Browser;
  /** Another browser of the same person. */
  other: Browser;
}

const signedOut = { status: 401, details: { reason: 'SIGNED_OUT' } };
const noOrganization = { status: 401, details: { reason: 'NO_ORGANIZATION' } };

/** Events, and the refusal of the next API request. */
const endings: [string, (situation: Situation) => Promise<unknown>, object][] = [
  ['signing out', ({ tab }) => tab.people.signOut(), signedOut],
  ['ending it from elsewhere', ({ tab, other }) => endFrom(other, tab), signedOut],
  [
    'a new password, chosen elsewhere',
    ({ other }) => other.people.changePassword({ body: { newPassword: rightPassword } }),
    signedOut,
  ],
  [
    'being removed from the organization',
    ({ userId }) => removeMember(service.db, { organization }, userId),
    noOrganization,
  ],
  [
    'being removed by an administrator in the console',
    async ({ userId: memberId }) => {
      const admin = await signedIn(service, (await service.member('owner')).userId);
      await admin.people.removeMember({ organizationId: organization, memberId });
    },
    noOrganization,
  ],
  ['the end of the account', ({ userId }) => deleteUser(service.db, userId), signedOut],
  [
    'thirty days without use',
    ({ userId }) => age(userId, "last_seen_at = now() - interval '30 days'"),
    signedOut,
  ],
  ['ninety days with use', ({ userId }) => age(userId, "created_at = now() - interval '90 days'"), signedOut],
];

async function age(userId: string, set: string): Promise<void> {
  // Writes pending last-use times first: a later write would undo this change.
  await service.running.flushLastUse();
  await database.query(`update console_sessions set ${set} where user_id = $1`, [userId]);
}

async function endFrom(other: Browser, tab: Browser): Promise<void> {
  const { items } = await other.people.listMySessions();
  expect(items.map(({ current }) => current)).toEqual([true, false]);
  const session = (await tab.people.getSession()) as { sessionId: string };
  expect(items[1]).toMatchObject({ id: session.sessionId, way: 'link', address: '127.0.0.1' });
  await other.people.endSession({ signInId: session.sessionId });
}

// A stream checks its session every five seconds, so the tests wait concurrently.
test.concurrent.each(endings)(
  '%s ends it at once, and the stream that it reads',
  { timeout: scaled(20_000) },
  async (_, end, refusal) => {
    const { userId } = await service.member('admin');
    const [tab, other] = [await signedIn(service, userId), await signedIn(service, userId)];
    const body = { url: 'http://127.0.0.1:1/mcp' };
    const { connectionRequestId } = await tab.api.createServerConnection({ body });
    const events = tab.api.watchServerConnection({ connectionRequestId });
    expect((await events.next()).value).toMatchObject({ connectionRequestId });
    await tab.api.getMe();
    await end({ userId, tab, other });
    await expect(tab.api.getMe()).rejects.toMatchObject(refusal);
    expect(await restOf(events)).toEqual([]);
  },
);

test('a stream about a private project ends with the role that opened it', async () => {
  const { userId } = await service.member('admin');
  const tab = await signedIn(service, userId);
  const { body: project } = await service.post('/projects', { name: 'Private', visibility: 'private' });
  const { body: server } = await service.post(`/projects/${project.id}/servers`, {
    name: 'demo',
    url: await service.demoUrl(),
  });
  const suite = {
    name: 'waits',
    serverIds: [server.id],
    model: 'drydock/rehearsal',
    tests: [{ title: 'one', steps: [{ id: '1', kind: 'prompt', prompt: 'List the ships.' }] }],
  };
  const { suiteId } = (await service.post(`/projects/${project.id}/eval-suites`, suite)).body;
  const run = await service.post(`/projects/${project.id}/eval-runs`, { suiteId });
  const events = tab.api.watchEvalRun({ projectId: project.id, runId: run.body.runId });
  await events.next();
  await setMember(service.db, { organization }, { user: userId, role: 'member' });
  await restOf(events);
  const params = { projectId: project.id, runId: run.body.runId };
  await expect(restOf(tab.api.watchEvalRun(params))).rejects.toMatchObject({ status: 403 });
});

async function restOf(events: AsyncIterable<unknown>): Promise<unknown[]> {
  const rest = [];
  for await (const event of events) rest.push(event);
  return rest;
}

test('whoever belongs to no organization can still sign out', async () => {
  const { userId } = await service.member('member');
  const tab = await signedIn(service, userId);
  await removeMember(service.db, { organization }, userId);
  expect(await tab.people.getSession()).toMatchObject({
    signedIn: true,
    organizations: [],
    organizationId: null,
  });
  await tab.people.signOut();
});

test('a session of somebody else is none of ours', async () => {
  const tab = await signedIn(service, (await service.member('owner')).userId);
  const other = await signedIn(service, (await service.member('owner')).userId);
  const { sessionId } = (await other.people.getSession()) as { sessionId: string };
  await expect(tab.people.endSession({ signInId: sessionId })).rejects.toMatchObject({ status: 404 });
  expect((await other.people.getSession()).signedIn).toBe(true);
});

test('use is written down once a minute, and keeps a session', async () => {
  const { userId } = await service.member('member');
  const tab = await signedIn(service, userId);
  const seen = async () => {
    await service.running.flushLastUse();
    const { rows } = await database.query(
      'select xmin, last_seen_at from console_sessions where user_id = $1',
      [userId],
    );
    return rows[0] as { xmin: string; last_seen_at: number };
  };
  await tab.api.getMe();
  const first = await seen();
  await tab.api.getMe();
  expect((await seen()).xmin).toBe(first.xmin);
  await age(userId, "last_seen_at = now() - interval '29 days'");
  await tab.api.getMe();
  await seen();
  const [session] = (await tab.people.listMySessions()).items;
  expect(Date.now() - (session?.lastSeenAt ?? 0)).toBeLessThan(scaled(60_000));
});

test('a person has fifty sessions at most; the longest unseen go', async () => {
  const { userId } = await service.member('member');
  const first = await signedIn(service, userId);
  await database.query(
    `insert into console_sessions (id, hash, user_id, way, address, last_seen_at)
     select 'ses_' || n, sha256(n::text::bytea), $1, 'link', '', now() - interval '1 hour' from generate_series(1, 60) n`,
    [userId],
  );
  const last = await signedIn(service, userId);
  expect((await last.people.listMySessions()).items).toHaveLength(50);
  expect((await first.people.getSession()).signedIn).toBe(true);
});
