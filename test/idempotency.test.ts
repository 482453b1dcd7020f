import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Refusal } from '../src/contract/errors.ts';
import { onceUnderClaim, type Repeatable } from '../src/domain/base/idempotency.ts';
import { flag, text } from '../src/platform/database/columns.ts';
import * as idempotency from '../src/platform/database/queries/idempotency.ts';
import { until } from './support/jobs.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';
import { statement } from './support/statement.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => dispose(service));

const keyed = (key: string, header = 'idempotency-key') => ({ headers: { [header]: key } });

test.each(['Idempotency-Key', 'x-mcpjam-idempotency-key'])(
  'a repeated %s returns the first answer and makes nothing new',
  async (header) => {
    const first = await service.post('/projects', { name: 'Once' }, keyed(`again-${header}`, header));
    const second = await service.post('/projects', { name: 'Once' }, keyed(`again-${header}`, header));
    expect(second).toMatchObject({ status: 201, body: first.body });
  },
);

test('of many requests with one key at once only one acts', async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => service.post('/projects', { name: 'Crowd' }, keyed('crowd'))),
  );
  expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1);
  const { body } = await service.get('/projects');
  expect(body.items.filter((item: { name: string }) => item.name === 'Crowd')).toHaveLength(1);
});

test('the same key with another body is refused', async () => {
  await service.post('/projects', { name: 'A' }, keyed('reused'));
  expect(await service.post('/projects', { name: 'B' }, keyed('reused'))).toMatchObject({
    status: 409,
    body: { code: 'CONFLICT', details: { reason: 'IDEMPOTENCY_KEY_REUSED' } },
  });
});

test('a refused request leaves its key free', async () => {
  const project = await service.defaultProject();
  await service.post(`/projects/${project}/servers`, { name: 'taken', url: 'https://e.com' });
  const refused = await service.post(
    `/projects/${project}/servers`,
    { name: 'taken', url: 'https://e.com' },
    keyed('free'),
  );
  expect(refused.status).toBe(409);
  const made = await service.post(
    `/projects/${project}/servers`,
    { name: 'not taken', url: 'https://e.com' },
    keyed('free'),
  );
  expect(made.status).toBe(201);
});

test('keys of different callers do not meet', async () => {
  const mine = await service.post('/projects', { name: 'Mine' }, keyed('common'));
  const member = await service.member('member');
  const theirs = await service.post('/projects', { name: 'Theirs' }, { ...keyed('common'), key: member.key });
  expect(theirs.status).toBe(201);
  expect(theirs.body.id).not.toBe(mine.body.id);
});

test.each(['   ', 'x'.repeat(257)])('a blank or oversized key counts as none', async (key) => {
  const first = await service.post('/projects', { name: 'Free' }, keyed(key));
  const second = await service.post('/projects', { name: 'Free' }, keyed(key));
  expect(second.body.id).not.toBe(first.body.id);
});

describe('under a claim, for work that must not run inside a transaction', () => {
  async function request(key: string, content = 'same'): Promise<Repeatable> {
    const { body } = await service.get('/me');
    const organizationId = (await service.get('/organizations')).body.items[0].id as string;
    return {
      scope: { organizationId, userId: body.id as string, operation: 'test', key },
      requestHash: content,
    };
  }

  test('of many at once one works; the others are told that it is under way, and later get its answer', async () => {
    const repeatable = await request('claim');
    let worked = 0;
    let finish = (): void => {};
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const work = async () => {
      worked++;
      await finished;
      return { worked };
    };
    const first = onceUnderClaim(service.db, repeatable, work);
    await expect.poll(() => worked).toBe(1);
    await expect(onceUnderClaim(service.db, repeatable, work)).rejects.toMatchObject({
      code: 'CONFLICT',
      details: { reason: 'IDEMPOTENCY_KEY_IN_USE', code: 'IDEMPOTENCY_KEY_IN_USE' },
      retryAfter: 1,
    });
    finish();
    expect(await first).toEqual({ worked: 1 });
    expect(await onceUnderClaim(service.db, repeatable, work)).toEqual({ worked: 1 });
    await expect(onceUnderClaim(service.db, await request('claim', 'other'), work)).rejects.toMatchObject({
      details: { reason: 'IDEMPOTENCY_KEY_REUSED' },
    });
    expect(worked).toBe(1);
  });

  test('a refusal gives the key back', async () => {
    const repeatable = await request('refused');
    const refuse = () => Promise.reject(new Refusal('RATE_LIMITED', 'no room'));
    await expect(onceUnderClaim(service.db, repeatable, refuse)).rejects.toThrow('no room');
    expect(await onceUnderClaim(service.db, repeatable, async () => 'done')).toBe('done');
  });

  test('work that is done is not done again because its answer could not be kept', async () => {
    const repeatable = await request('not kept');
    let worked = 0;
    const work = async () => ({ worked: ++worked, text: '\0' });
    await expect(onceUnderClaim(service.db, repeatable, work)).rejects.toThrow();
    await expect(onceUnderClaim(service.db, repeatable, work)).rejects.toThrow('in progress');
    expect(worked).toBe(1);
  });

  test('a claim is extended while the work goes on, and one whose holder died is taken over', async () => {
    const repeatable = await request('slow');
    const lease = 3_000;
    let finish = (): void => {};
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const slow = onceUnderClaim(service.db, repeatable, () => finished.then(() => 'slow'), lease);
    const expiry = statement(
      'test.expiry',
      'select claimed_until::text as first from idempotency_keys where key = :key',
      { first: text },
    );
    const { key } = repeatable.scope;
    await until(async () => (await service.db.row(expiry, { key })) !== undefined);
    const { first } = await service.db.one(expiry, { key });
    const passed = statement('test.passed', 'select now() > :first::timestamptz as over', { over: flag });
    await until(async () => (await service.db.one(passed, { first })).over);
    const again = () => onceUnderClaim(service.db, repeatable, async () => 'again', lease);
    await expect(again()).rejects.toThrow('in progress');
    finish();
    expect(await slow).toBe('slow');
    const dead = await request('dead');
    const claim = { ...dead.scope, requestHash: dead.requestHash, token: 'of a dead process', lease: 1 };
    await service.db.run(idempotency.claim, claim);
    await service.db.rows(statement('test.wait', 'select pg_sleep(0.4)'));
    expect(await onceUnderClaim(service.db, dead, async () => 'taken over')).toBe('taken over');
  });
});
