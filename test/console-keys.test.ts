import { afterAll, beforeAll, expect, test } from 'vitest';
import { eachItem } from '../src/surfaces/client/index.ts';
import type { Browser } from './support/browser.ts';
import { actionsOf, signedIn } from './support/people.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';
import { textOf } from './support/snapshot.ts';

let service: TestService;
let organizationId: string;

beforeAll(async () => {
  service = await startTestService({ worker: false });
  organizationId = (await service.get('/organizations')).body.items[0].id as string;
});
afterAll(() => dispose(service));

async function somebody(role: 'owner' | 'admin' | 'member'): Promise<{ userId: string; tab: Browser }> {
  const { userId } = await service.member(role);
  return { userId, tab: await signedIn(service, userId) };
}

test('a key made in the console acts as its maker, is shown once, and stops at once when it is revoked', async () => {
  const { userId, tab } = await somebody('member');
  const { key, ...made } = await tab.people.createKey({ organizationId, body: { name: 'CI' } });
  expect(made).toMatchObject({ name: 'CI', user: { id: userId }, lastUsedAt: null, revokedAt: null });
  expect((await service.get('/me', { key })).body.id).toBe(userId);
  await service.running.flushLastUse();
  const [listed] = (await tab.people.listKeys({ organizationId })).items;
  expect(listed).toEqual({ ...made, lastUsedAt: expect.any(Number) });
  // Shown neither in a list nor to a key, and worth nothing where people are.
  expect(JSON.stringify(listed)).not.toContain(key);
  const asKey = { authorization: `Bearer ${key}`, 'x-drydock-console': '1' };
  const path = `/console/api/organizations/${organizationId}/keys`;
  expect(await tab.send(path, { headers: asKey })).toMatchObject({
    status: 403,
    body: { code: 'FORBIDDEN' },
  });
  expect(await tab.people.revokeKey({ organizationId, keyId: made.id })).toEqual({
    id: made.id,
    revoked: true,
  });
  expect((await service.get('/me', { key })).status).toBe(401);
  await expect(tab.people.revokeKey({ organizationId, keyId: made.id })).rejects.toMatchObject({
    status: 404,
  });
  expect(await actionsOf(service, made.id)).toEqual(['key.create', 'key.revoke']);
  const database = await service.database.connect();
  const everything = `${await textOf(database)} ${service.logs.join('')}`;
  await database.end();
  expect(everything).not.toContain(key);
});

test('members see and revoke their own, administrators all of the organization, and nobody those elsewhere', async () => {
  const [one, two, admin] = [await somebody('member'), await somebody('member'), await somebody('admin')];
  const mine = await one.tab.people.createKey({ organizationId, body: { name: 'one' } });
  const names = async ({ tab }: { tab: Browser }, whose?: 'mine') => {
    const found = [];
    for await (const { id } of eachItem(tab.people.listKeys, {
      organizationId,
      limit: 2,
      ...(whose && { whose }),
    }))
      found.push(id);
    return found;
  };
  expect(await names(two)).not.toContain(mine.id);
  expect(await names(admin)).toContain(mine.id);
  expect(await names(admin, 'mine')).not.toContain(mine.id);
  const all = await names(admin);
  expect(all).toEqual(all.toSorted().toReversed());
  const revoke = ({ tab }: { tab: Browser }) => tab.people.revokeKey({ organizationId, keyId: mine.id });
  await expect(revoke(two)).rejects.toMatchObject({ status: 404 });
  await revoke(admin);
  const stranger = await service.stranger();
  const elsewhere = admin.tab.people.revokeKey({ organizationId, keyId: stranger.keyId });
  await expect(elsewhere).rejects.toMatchObject({ status: 404 });
  expect((await service.get('/me', { key: stranger.key })).status).toBe(200);
});

test('a person has a hundred keys that work at most, also when many are made at once', async () => {
  const { userId, tab } = await somebody('member');
  const database = await service.database.connect();
  await database.query(
    `insert into api_keys (id, hash, hint, name, user_id, organization_id)
     select 'key_' || $1 || n, sha256(($1 || n)::bytea), '', 'CI', $1, $2 from generate_series(1, 97) n`,
    [userId, organizationId],
  );
  await database.end();
  const make = () => tab.people.createKey({ organizationId, body: { name: 'CI' } });
  const outcomes = await Promise.allSettled(Array.from({ length: 5 }, make));
  // One came with the account.
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
  await expect(make()).rejects.toMatchObject({ status: 409, details: { code: 'TOO_MANY_KEYS' } });
  const [key] = (await tab.people.listKeys({ organizationId, limit: 1 })).items;
  await tab.people.revokeKey({ organizationId, keyId: key?.id as string });
  await make();
});
