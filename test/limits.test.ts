import { expect, test } from 'vitest';
import type { Context } from '../src/domain/context/context.ts';
import { spend, usageOf } from '../src/domain/limits/spend.ts';
import { removeMember } from '../src/domain/operator/members.ts';
import { setPlan } from '../src/domain/operator/organizations.ts';
import { definePlan } from '../src/domain/operator/plans.ts';
import { type Answer, startForTest, startTestService, type TestService } from './support/service.ts';

const count = (answers: Answer[], status: number): number =>
  answers.filter((answer) => answer.status === status).length;
const many = <T>(times: number, work: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: times }, work));

test('a key may burst ten requests, then one a second; the refusal says when', async () => {
  let now = Date.now();
  const service = await startForTest({ env: { DRYDOCK_RATE_LIMIT: '60/10' }, clock: () => now });
  const burst = await many(15, () => service.get('/me'));
  expect(count(burst, 200)).toBe(10);
  expect(count(burst, 429)).toBe(5);
  const refused = burst.find((answer) => answer.status === 429) as Answer;
  expect(refused.body).toMatchObject({ code: 'RATE_LIMITED' });
  expect(refused.headers.get('retry-after')).toBe('1');
  now += 999;
  expect((await service.get('/me')).status).toBe(429);
  now += 1;
  expect((await service.get('/me')).status).toBe(200);
  expect((await service.get('/me')).status).toBe(429);
  now += 3_600_000;
  expect(count(await many(12, () => service.get('/me')), 200)).toBe(10);
});

test('each key has its own bucket; unknown keys and public operations have none', async () => {
  const service = await startForTest({ env: { DRYDOCK_RATE_LIMIT: '1/5' } });
  const { key } = await service.member('member');
  await many(10, () => service.get('/me'));
  expect((await service.get('/me')).status).toBe(429);
  expect((await service.get('/me', { key })).status).toBe(200);
  expect(count(await many(10, () => service.get('/models', { key: null })), 200)).toBe(10);
  expect(count(await many(10, () => service.get('/me', { key: 'sk_unknown' })), 401)).toBe(10);
});

test('an orphaned key pays before it is told', async () => {
  const service = await startForTest({ env: { DRYDOCK_RATE_LIMIT: '1/5' } });
  const { key, userId } = await service.member('member');
  await removeMember(service.db, {}, userId);
  const answers = await many(8, () => service.get('/me', { key }));
  expect(count(answers, 401)).toBe(5);
  expect(count(answers, 429)).toBe(3);
});

test('replicas share a bucket: at most one burst too many, and that is paid back', async () => {
  // Time stands still, so that a slow machine pays no debt meanwhile.
  const still = { env: { DRYDOCK_RATE_LIMIT: '60/10' }, clock: () => Date.UTC(2026, 10, 15) };
  const service = await startForTest(still);
  const replica = await startTestService({
    ...still,
    database: service.database,
    dataDir: service.running.services.config.dataDir,
  });
  try {
    await service.running.meetReplicas();
    const ask = (at: TestService) => at.get('/me', { key: service.key });
    const both = [...(await many(12, () => ask(service))), ...(await many(12, () => ask(replica)))];
    const served = count(both, 200);
    expect(served).toBeGreaterThanOrEqual(10);
    expect(served).toBeLessThanOrEqual(20);
    for (const each of [replica, service, replica]) await each.running.meetReplicas();
    const later = [await ask(service), await ask(replica)];
    expect(count(later, 429)).toBe(2);
    // A second of debt for each that was too many, which is none when the replicas met meanwhile: both know it.
    for (const answer of later)
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(served - 10 + 1);
  } finally {
    await replica.stop();
  }
});

test('a budget is spent to its limit and not beyond, by many callers at once, and resets at UTC midnight', async () => {
  let now = Date.UTC(2026, 10, 15, 23, 59, 30);
  const service = await startForTest({ clock: () => now });
  await definePlan(service.db, 'team', { insightsPerDay: '10', credits: 'unlimited' });
  await setPlan(service.db, undefined, 'team');
  const { items } = (await service.get('/organizations')).body;
  const organization = items[0];
  const context = {
    ...service.running.services,
    requestId: 'r',
    callerGone: () => AbortSignal.timeout(60_000),
    actor: { organization, user: { id: 'usr_1' } },
  } as unknown as Context;
  const draw = () => service.db.transaction((db) => spend(context, db, 'insightsPerDay', 1, 'test'));
  const outcomes = await Promise.allSettled(Array.from({ length: 25 }, draw));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
  await expect(draw()).rejects.toMatchObject({
    code: 'RATE_LIMITED',
    retryAfter: 30,
    details: {
      limit: 'insightsPerDay',
      plan: 'team',
      currentValue: 10,
      allowedValue: 10,
      resetsAt: Date.UTC(2026, 10, 16),
    },
  });
  now = Date.UTC(2026, 10, 16);
  await draw();
  expect(await usageOf(context, organization.id)).toMatchObject({ insightsPerDay: 1, credits: 0 });
  const failing = service.db.transaction(async (db) => {
    await spend(context, db, 'insightsPerDay', 5, 'test');
    throw new Error('the work failed');
  });
  await expect(failing).rejects.toThrow('the work failed');
  expect(await usageOf(context, organization.id)).toMatchObject({ insightsPerDay: 1 });
});
