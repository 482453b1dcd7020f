import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { removeMember, setMember } from '../src/domain/operator/members.ts';
import type { Browser } from './support/browser.ts';
import { signedIn } from './support/people.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';

/** A request is admitted by its headers, but the access ends before the body arrives: nothing is changed. */

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

interface Caller {
  userId: string;
  keyId: string;
  key: string;
  tab: Browser;
}

async function newCaller(): Promise<Caller> {
  const member = await service.member('admin');
  return { ...member, tab: await signedIn(service, member.userId) };
}

const asKey = ({ key }: Caller) => ({ authorization: `Bearer ${key}` });
const asPage = ({ tab }: Caller) => ({
  'x-drydock-console': '1',
  origin: service.origin,
  cookie: `drydock_session=${tab.session}`,
});
const remove = ({ userId }: Caller) => removeMember(service.db, { organization }, userId);
const revoke = ({ tab, keyId }: Caller) => tab.people.revokeKey({ organizationId: organization, keyId });
const demote = ({ userId: user }: Caller) =>
  setMember(service.db, { organization }, { user, role: 'member' });

const json = 'application/json';
const project = { path: '/api/v1/projects', type: json, body: '{"name":"late"}' };
const artifact = {
  path: '/api/v1/projects/default/eval-ingest/artifacts',
  type: 'text/html',
  body: '<p>late</p>',
};
const invitation = () => ({
  path: `/console/api/organizations/${organization}/invitations`,
  type: json,
  body: '{"email":"late@example.com","role":"member"}',
});

const cases: [
  string,
  typeof asKey | typeof asPage,
  () => typeof project,
  (caller: Caller) => unknown,
  number,
][] = [
  ['a key that is revoked', asKey, () => project, revoke, 401],
  ['a key of a removed member', asKey, () => project, remove, 401],
  ['a key that is revoked during an upload', asKey, () => artifact, revoke, 401],
  ['a session that is ended', asPage, () => project, ({ tab }) => tab.people.signOut(), 401],
  ['a session of a removed member', asPage, () => project, remove, 401],
  ['a session of a removed member in the console', asPage, invitation, remove, 404],
  ['a session of an administrator who is none any more', asPage, invitation, demote, 403],
  ['a key that goes on working', asKey, () => project, () => {}, 201],
  ['a key that goes on working during an upload', asKey, () => artifact, () => {}, 200],
  ['a session that goes on', asPage, invitation, () => {}, 201],
];

test.each(cases)('%s', async (_, headersOf, what, meanwhile, status) => {
  const caller = await newCaller();
  const { path, type, body } = what();
  // Admission records the last use, for a session at most once a minute.
  await database.query(
    `update console_sessions set last_seen_at = now() - interval '2 min' where user_id = $1`,
    [caller.userId],
  );
  const headers = { ...headersOf(caller), 'content-type': type, 'content-length': body.length };
  const sent = request(`${service.origin}${path}`, { method: 'POST', headers });
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  sent.write(body.slice(0, 3));
  await expect.poll(() => wasLetIn(caller)).toBe(true);
  const before = await rows();
  await meanwhile(caller);
  sent.end(body.slice(3));
  const [answer] = await answered;
  expect([answer.statusCode, await text(answer)]).toEqual([status, expect.any(String)]);
  expect((await rows()) - before).toBe(status < 300 ? 1 : 0);
});

async function wasLetIn({ userId }: Caller): Promise<boolean> {
  await service.running.flushLastUse();
  const { rows } = await database.query(
    `select 1 from api_keys where user_id = $1 and last_used_at is not null
     union all select 1 from console_sessions where user_id = $1 and last_seen_at > now() - interval '1 min'`,
    [userId],
  );
  return rows.length > 0;
}

/** Number of rows that these requests can create. */
async function rows(): Promise<number> {
  const { rows } = await database.query<{ count: string }>(
    `select (select count(*) from projects) + (select count(*) from console_links where kind = 'invitation')
       + (select count(*) from blobs) as count`,
  );
  return Number(rows[0]?.count);
}
