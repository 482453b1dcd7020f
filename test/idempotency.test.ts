import { afterAll, beforeAll, expect, test } from 'vitest';
import { dispose, startTestService, type TestService } from './support/service.ts';

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
