// @module-tag long
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { foldWave } from '../src/domain/insights/fold-findings.ts';
import { enqueueDeliveries } from '../src/domain/webhooks/emit.ts';
import { within } from './support/path-parameters.ts';
import { isSigned, Receiver } from './support/receiver.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';
import { scaled } from './support/slowdown.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => dispose(service));

const project = async (name: string): Promise<string> =>
  `/projects/${(await service.post('/projects', { name })).body.id}`;

async function hook(path: string, receiver: Receiver, more: Record<string, unknown> = {}) {
  const answer = await service.post(`${path}/webhooks`, { name: 'ci', url: receiver.url, ...more });
  expect(answer).toMatchObject({ status: 201 });
  return answer.body as { id: string; secret: string };
}

/** A run that is over at once. */
async function report(path: string, passed: boolean, more: Record<string, unknown> = {}): Promise<string> {
  const results = [{ caseTitle: 'One', passed }];
  const answer = await service.post(`${path}/eval-ingest/report`, {
    suiteName: 'Reported',
    results,
    ...more,
  });
  expect(answer).toMatchObject({ status: 200, body: { ok: true } });
  return answer.body.runId as string;
}

/** A receiver has it before it is written down that it has. */
async function settled(path: string, id: string): Promise<unknown> {
  const read = async () => (await service.get(`${path}/webhooks/${id}`)).body;
  await expect.poll(read, { timeout: scaled(10_000) }).toMatchObject({ pending: 0 });
  return read();
}

/** As if the time had come that deliveries wait for, over and over. */
async function untilDue(webhookId: string, what: () => boolean | Promise<boolean>): Promise<void> {
  const hook = { id: webhookId, organizationId: 'org', createdBy: 'usr' };
  for (const ends = Date.now() + scaled(30_000); !(await what()); await delay(20)) {
    if (Date.now() > ends) throw new Error('not delivered');
    const due = `update webhook_deliveries set next_attempt_at = now() where webhook_id = $1 and state = 'pending'`;
    await within(service, due, [webhookId]);
    await within(service, 'update webhooks set paused_until = null where id = $1', [webhookId]);
    await enqueueDeliveries(service.db, [hook]);
  }
}

test('a run that ends is told to whoever listens, signed, once', async () => {
  const path = await project('Told');
  const [receiver, deaf] = [await Receiver.start(), await Receiver.start()];
  const { id, secret } = await hook(path, receiver);
  await hook(path, deaf, { name: 'findings', events: ['finding.new'] });
  const runId = await report(path, true, { ci: { branch: 'main', commitSha: 'abc' } });
  await receiver.until(({ taken }) => taken.length === 2);
  const [decided, gate] = receiver.taken;
  expect(decided?.body).toMatchObject({
    type: 'eval_run.decided',
    timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
    projectId: path.split('/').at(-1),
    data: { runId, status: 'completed', result: 'passed', passed: 1, failed: 0, ci: { commitSha: 'abc' } },
  });
  expect(gate?.body).toMatchObject({
    type: 'gate.changed',
    data: { cause: 'run', runId, outcome: 'passed', previousOutcome: null },
  });
  for (const one of receiver.taken) {
    expect(isSigned(one, secret)).toBe(true);
    expect(isSigned(one, `whsec_${'A'.repeat(32)}`)).toBe(false);
    expect(one.path).toBe('/hooks?token=tell-nobody');
  }
  expect(deaf.received).toEqual([]);
  await settled(path, id);
  const { items } = (await service.get(`${path}/webhooks/${id}/deliveries?state=delivered`)).body;
  expect(items.map(({ eventId }: { eventId: string }) => eventId).toSorted()).toEqual(
    receiver.taken.map((one) => one.id).toSorted(),
  );
  const detail = await service.get(`${path}/webhooks/${id}/deliveries/${items[0].id}`);
  expect(detail.body).toMatchObject({ attempts: 1, lastStatus: 204, log: [{ status: 204, error: null }] });
  expect(detail.body.body).toEqual(receiver.taken.find((one) => one.id === items[0].eventId)?.body);
  expect((await service.get(`${path}/webhooks/${id}`)).body).toMatchObject({
    pending: 0,
    dead: 0,
    failingSince: null,
  });
  expect(JSON.stringify([items, detail.body, service.logs])).not.toMatch(/tell-nobody|whsec_/);
});

test('the gate is told of when what it says changes, and of waivers', async () => {
  const path = await project('Gate');
  const receiver = await Receiver.start();
  await hook(path, receiver, { events: ['gate.changed'] });
  await report(path, true);
  await receiver.until(({ taken }) => taken.length === 1);
  await report(path, true);
  const failed = await report(path, false);
  await receiver.until(({ taken }) => taken.length === 2);
  const waived = await service.post(`${path}/eval-runs/${failed}/gate-waivers`, {
    reason: 'known',
    expiresAt: Date.now() + 60_000,
  });
  await service.request('DELETE', `${path}/eval-runs/${failed}/gate-waivers/${waived.body.waiver.id}`);
  await receiver.until(({ taken }) => taken.length === 4);
  expect(receiver.taken.map(({ body }) => body.data)).toMatchObject([
    { outcome: 'passed', previousOutcome: null },
    { outcome: 'failed', previousOutcome: 'passed', runId: failed },
    { cause: 'waiver.created', runId: failed, waived: true },
    { cause: 'waiver.revoked', runId: failed, waived: false },
  ]);
});

test('a finding is told of when it is new and when it is back', async () => {
  const path = await project('Findings');
  const projectId = path.split('/').at(-1) as string;
  const receiver = await Receiver.start();
  await hook(path, receiver, { events: ['finding.new', 'finding.regressed'] });
  const owner = { kind: 'journey' as const, id: projectId };
  const seen = { detector: 'd', dimension: 'goal' as const, affected: 1, total: 2, metric: 0.5 };
  const evidence = { evidenceSessionIds: [], contrastSessionIds: [], evidenceTruncated: false };
  const subject = { kind: 'journey' as const, id: 'jrn', label: 'Sails' };
  for (const [nth, fires] of [true, true, false, false, true].entries()) {
    const observation = { fingerprint: 'f', fires, subject, ...seen, ...evidence };
    const wave = { waveId: `wave ${nth}`, at: 1_000_000 + nth };
    await service.db.transaction((trx) => foldWave(trx, projectId, owner, wave, [observation]));
  }
  await receiver.until(({ taken }) => taken.length === 2);
  expect(receiver.taken.map(({ body }) => body)).toMatchObject([
    { type: 'finding.new', data: { kind: 'journey', status: 'new', subject, occurrenceCount: 1 } },
    { type: 'finding.regressed', data: { status: 'regressed', lastSeenWaveId: 'wave 4' } },
  ]);
});

test('a receiver that is down for 20 deliveries gets every event under a stable id, those of a run in order', async () => {
  const path = await project('Down');
  const receiver = await Receiver.start();
  const statuses = [500, 0, 429, 302, 503];
  receiver.answer = (_, nth) => (nth < 20 ? (statuses[nth % 5] as number) : 200);
  const { id } = await hook(path, receiver);
  const runs = [await report(path, true), await report(path, false), await report(path, true)];
  // Each of them, and what the gate said of each.
  await untilDue(id, () => receiver.taken.length >= 6);
  const { taken, received } = receiver;
  expect(new Set(taken.map((one) => one.id)).size).toBe(6);
  expect(
    received.every((one) => taken.some(({ id: eventId, text }) => eventId === one.id && text === one.text)),
  ).toBe(true);
  for (const runId of runs)
    expect(taken.filter(({ body }) => body.data.runId === runId).map(({ body }) => body.type)).toEqual([
      'eval_run.decided',
      'gate.changed',
    ]);
  const shown = await settled(path, id);
  expect(shown).toMatchObject({ pending: 0, dead: 0, failingSince: null, enabled: true });
});

test('what is given up can be delivered again, one or all', async () => {
  const path = await project('Failed after the last attempt');
  const receiver = await Receiver.start();
  receiver.answer = () => 500;
  const { id } = await hook(path, receiver, { events: ['eval_run.decided'] });
  const since = Date.now() - 60_000;
  for (let nth = 0; nth < 3; nth++) await report(path, true);
  const dead = async () => (await service.get(`${path}/webhooks/${id}/deliveries?state=dead`)).body.items;
  await untilDue(id, async () => (await dead()).length === 3);
  expect(receiver.received).toHaveLength(3 * 14);
  const [one] = await dead();
  expect(one).toMatchObject({
    attempts: 14,
    lastStatus: 500,
    lastError: 'Answered with 500',
    nextAttemptAt: null,
  });
  receiver.answer = () => 200;
  const again = await service.post(`${path}/webhooks/${id}/deliveries/${one.id}/redeliver`);
  expect(again).toMatchObject({ status: 202, body: { state: 'pending', eventId: one.eventId, attempts: 0 } });
  await receiver.until(({ taken }) => taken.length === 1);
  expect(receiver.taken[0]?.id).toBe(one.eventId);
  const replayed = await service.post(`${path}/webhooks/${id}/replay`, { since });
  expect(replayed).toMatchObject({ status: 202, body: { count: 2, nextSince: null } });
  await receiver.until(({ taken }) => taken.length === 3);
  // The receiver knows first; what is still pending is not sent again.
  await settled(path, id);
  expect((await service.post(`${path}/webhooks/${id}/replay`, { since, all: true })).body.count).toBe(3);
  await receiver.until(({ taken }) => taken.length === 6);
  expect(new Set(receiver.taken.map((delivery) => delivery.id)).size).toBe(3);
});

test('a test is sent once and tells how it went', async () => {
  const path = await project('Test');
  const receiver = await Receiver.start();
  receiver.answer = () => 418;
  const { id } = await hook(path, receiver);
  const { status, body } = await service.post(`${path}/webhooks/${id}/test`);
  expect(status).toBe(202);
  const read = async () => (await service.get(`${path}/webhooks/${id}/deliveries/${body.id}`)).body;
  await receiver.until(({ received }) => received.length === 1);
  await expect.poll(read).toMatchObject({ state: 'dead', lastStatus: 418, type: 'webhook.test' });
  expect(receiver.received).toHaveLength(1);
});

test('one that says it is gone is switched off, and may be switched on again', async () => {
  const path = await project('Gone');
  const receiver = await Receiver.start();
  receiver.answer = () => 410;
  const { id } = await hook(path, receiver, { events: ['eval_run.decided'] });
  await report(path, true);
  const read = async () => (await service.get(`${path}/webhooks/${id}`)).body;
  await expect
    .poll(read)
    .toMatchObject({ enabled: false, disabledReason: expect.stringContaining('410'), dead: 1 });
  expect(await service.post(`${path}/webhooks/${id}/test`)).toMatchObject({
    status: 409,
    body: { details: { code: 'WEBHOOK_DISABLED' } },
  });
  await report(path, true);
  receiver.answer = () => 200;
  const on = await service.request('PATCH', `${path}/webhooks/${id}`, { body: { enabled: true } });
  expect(on.body).toMatchObject({ enabled: true, disabledReason: null, pending: 0 });
  await report(path, true);
  await receiver.until(({ taken }) => taken.length === 1);
});

test('a replaced secret signs beside the new one for as long as it is kept', async () => {
  const path = await project('Rotate');
  const receiver = await Receiver.start();
  const given = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const { id, secret } = await hook(path, receiver, { events: ['eval_run.decided'], secret: given });
  expect(secret).toBe(given);
  const rotated = await service.post(`${path}/webhooks/${id}/rotate-secret`);
  expect(rotated.status).toBe(200);
  await report(path, true);
  await receiver.until(({ taken }) => taken.length === 1);
  const [both] = receiver.taken;
  expect([given, rotated.body.secret].map((one) => both && isSigned(both, one))).toEqual([true, true]);
  const last = await service.post(`${path}/webhooks/${id}/rotate-secret`, { keepOldHours: 0 });
  await report(path, true);
  await receiver.until(({ taken }) => taken.length === 2);
  const signers = [given, rotated.body.secret, last.body.secret] as string[];
  expect(signers.map((one) => isSigned(receiver.taken[1] as never, one))).toEqual([false, false, true]);
});

test.each([
  ['a URL that is none', { url: 'nowhere' }, 'url'],
  ['a user and a password', { url: 'https://user:secret@hooks.example.com/' }, 'signed instead'],
  ['an address of a cloud', { url: 'http://169.254.169.254/latest' }, 'url'],
  ['a secret that is too short', { url: 'https://hooks.example.com/', secret: 'whsec_AAAA' }, 'whsec_'],
  ['an event that there is not', { url: 'https://hooks.example.com/', events: ['all'] }, 'events'],
  [
    'the same event twice',
    { url: 'https://hooks.example.com/', events: ['finding.new', 'finding.new'] },
    'twice',
  ],
])('%s is refused, and nothing is kept', async (_, body, says) => {
  const path = await project('Refused');
  const answer = await service.post(`${path}/webhooks`, { name: 'x', ...body });
  expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
  expect(answer.text).toContain(says);
  expect(answer.text).not.toContain('secret@');
  expect((await service.get(`${path}/webhooks`)).body.items).toEqual([]);
});

test('a project has at most 20, each with its name', async () => {
  const path = await project('Many');
  const add = (name: string) => service.post(`${path}/webhooks`, { name, url: 'https://hooks.example.com/' });
  for (let nth = 0; nth < 20; nth++) expect((await add(`hook ${nth}`)).status).toBe(201);
  expect(await add('one more')).toMatchObject({ status: 409, body: { details: { code: 'LIMIT_REACHED' } } });
  const { items } = (await service.get(`${path}/webhooks`)).body;
  await service.request('DELETE', `${path}/webhooks/${items[0].id}`);
  expect(await add('HOOK 1')).toMatchObject({ status: 409, body: { details: { code: 'NAME_TAKEN' } } });
  expect((await add('hook 0')).status).toBe(201);
});
