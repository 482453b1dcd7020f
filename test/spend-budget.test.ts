import type pg from 'pg';
import { expect, test } from 'vitest';
import { CallLedger } from '../src/domain/model-calls/ledger.ts';
import { setPlan } from '../src/domain/operator/organizations.ts';
import { definePlan } from '../src/domain/operator/plans.ts';
import { authoring, type EvalsWorld } from './support/eval-authoring.ts';
import { type TestService } from './support/service.ts';
import { withoutTrace } from './support/snapshot.ts';

let service: TestService;
let database: pg.Client;
/** Each test has a world in its own organization. */
let world: EvalsWorld;
let organizationId: string;

authoring((parts) => void ({ service, database, world, organizationId } = parts), {
  models: true,
  strangers: true,
});

const budget = (method: string, body?: object, key = world.key, id = organizationId) =>
  service.request(method, `/organizations/${id}/spend-budget`, { key, ...(body && { body }) });

/** A model call that costs so many credits: settled, or still running. */
async function spend(credits: number, over = true): Promise<void> {
  const micros = credits * 10_000;
  const ledger = new CallLedger(service.db, Date.now);
  const call = await ledger.reserve({
    organizationId,
    projectId: world.projectId,
    runId: null,
    trialId: null,
    model: 'local/priced',
    purpose: { reason: 'a test', actor: 'a test' },
    micros,
    inputMicros: 0,
  });
  if (over)
    await ledger.settle(call, { outcome: 'answered', usage: {}, costMicros: micros, bookedMicros: micros });
}

test('an organization has no cap until it sets one, and what it spends is counted either way', async () => {
  const now = new Date();
  const uncapped = {
    capUsd: null,
    capCredits: null,
    alertPercents: [],
    spentUsd: 0,
    spentCredits: 0,
    reservedUsd: 0,
    reservedCredits: 0,
    windowStartAt: Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1),
    windowEndsAt: Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1),
    alertedPercents: [],
    capReachedAt: null,
    updatedAt: null,
    minCapUsd: 0,
    maxCapUsd: 1_000_000,
    supported: true,
  };
  expect(await budget('GET')).toMatchObject({ status: 200, body: uncapped });
  await spend(60);
  await spend(25);
  await spend(10, false);
  const spent = { ...uncapped, spentUsd: 0.85, spentCredits: 85, reservedUsd: 0.1, reservedCredits: 10 };
  expect((await budget('GET')).body).toEqual(spent);
  const set = await budget('PUT', { capUsd: 0.996, alertPercents: [90, 50, 90] });
  expect(set).toMatchObject({
    status: 200,
    body: {
      capUsd: 1,
      capCredits: 100,
      alertPercents: [50, 90],
      alertedPercents: [50],
      spentCredits: 85,
      capReachedAt: null,
      updatedAt: expect.any(Number),
    },
  });
  expect((await budget('GET')).body).toEqual(set.body);
  expect((await budget('PUT', { capUsd: 0.5 })).body).toMatchObject({
    alertPercents: [80],
    alertedPercents: [80],
    capReachedAt: expect.any(Number),
  });
  expect((await budget('DELETE')).body).toEqual(spent);
});

test.each<[object, RegExp]>([
  [{}, /^capUsd: Required/],
  [{ capUsd: -1 }, /^capUsd: /],
  [{ capUsd: 1_000_001 }, /^capUsd: /],
  [{ capUsd: '5' }, /^capUsd: /],
  [{ capUsd: 5, alertPercents: [100] }, /^alertPercents\.0: /],
  [{ capUsd: 5, alertPercents: [0.5] }, /^alertPercents\.0: /],
  [{ capUsd: 5, currency: 'EUR' }, /currency/],
])('%j is no cap', async (body, message) => {
  expect(await withoutTrace(database, () => budget('PUT', body))).toMatchObject({
    status: 400,
    body: { message: expect.stringMatching(message) },
  });
});

test('every member reads it, administrators write it, and others do not know it', async () => {
  const home = (await service.get('/organizations')).body.items[0].id as string;
  const member = await service.member('member');
  const admin = await service.member('admin');
  expect(await budget('GET', undefined, member.key, home)).toMatchObject({ status: 200 });
  for (const [method, body] of [
    ['PUT', { capUsd: 1 }],
    ['DELETE', undefined],
  ] as const) {
    const ask = () => budget(method, body, member.key, home);
    expect(await withoutTrace(database, ask)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect(await budget(method, body, admin.key, home)).toMatchObject({ status: 200 });
  }
  for (const [method, body] of [
    ['GET', undefined],
    ['PUT', { capUsd: 1 }],
    ['DELETE', undefined],
  ] as const)
    expect(await withoutTrace(database, () => budget(method, body, world.key, home))).toMatchObject({
      status: 404,
    });
});

test('once the cap is reached nothing is launched on keys of the deployment', async () => {
  const suiteId = await world.suite({ model: 'local/priced' });
  await budget('PUT', { capUsd: 1 });
  await spend(99);
  expect(await world.launch({ suiteId })).toMatchObject({ status: 202 });
  await spend(1);
  const refused = await withoutTrace(database, () => world.launch({ suiteId }));
  expect(refused).toMatchObject({
    status: 429,
    body: {
      code: 'RATE_LIMITED',
      message: expect.stringMatching(/100 of 100 credits.*Raise the cap/),
      details: {
        reason: 'SPEND_BUDGET_REACHED',
        limit: 'credits',
        currentValue: 100,
        allowedValue: 100,
        resetsAt: expect.any(Number),
      },
    },
  });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  const group = {
    suiteId,
    targets: [{ environmentId: await world.environment({ modelId: 'local/priced' }) }],
  };
  const launch = () => world.launchGroup({ ...group, ephemeralEnvironment: true });
  expect(await withoutTrace(database, launch)).toMatchObject({ status: 429 });
  // Launches that cost the deployment nothing are still accepted.
  expect(await world.launch({ suiteId, model: 'drydock/rehearsal' })).toMatchObject({ status: 202 });
  const own = { suiteId, model: 'gpt-x', provider: 'openai', modelApiKeys: { openai: 'sk-own' } };
  expect(await world.launch(own)).toMatchObject({ status: 202 });
  await budget('PUT', { capUsd: 1.01 });
  expect(await world.launch({ suiteId })).toMatchObject({ status: 202 });
});

test('of a cap and a plan the lower one holds', async () => {
  const suiteId = await world.suite({ model: 'local/priced' });
  await definePlan(service.db, 'ten', { credits: '10' });
  await setPlan(service.db, organizationId, 'ten');
  await spend(10);
  expect(await world.launch({ suiteId })).toMatchObject({
    status: 429,
    body: { details: { allowedValue: 10 } },
  });
  await budget('PUT', { capUsd: 0.05 });
  expect(await world.launch({ suiteId })).toMatchObject({
    status: 429,
    body: { details: { allowedValue: 5 } },
  });
});

test('a cap of nothing allows nothing', async () => {
  const suiteId = await world.suite({ model: 'local/priced' });
  await budget('PUT', { capUsd: 0 });
  expect(await world.launch({ suiteId })).toMatchObject({
    status: 429,
    body: { details: { allowedValue: 0 } },
  });
});
