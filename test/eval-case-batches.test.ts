import type pg from 'pg';
import { describe, expect, test } from 'vitest';
import { authoring, type EvalsWorld, prompt, vocabulary2 } from './support/eval-authoring.ts';
import { type TestService } from './support/service.ts';
import { withoutTrace } from './support/snapshot.ts';

let service: TestService;
let database: pg.Client;
let world: EvalsWorld;
let suiteId: string;

authoring(async (parts) => {
  ({ service, database, world } = parts);
  suiteId = await world.suite();
});

const item = (title: string, fields: object = {}) => ({ title, steps: [prompt()], ...fields });
const batch = (cases: unknown[], fields: object = {}, headers: Record<string, string> = {}) =>
  service.post(world.at(suiteId, '/cases/batch'), { cases, ...fields }, { headers });
const titles = async () => (await world.cases(suiteId)).map(({ title }: { title: string }) => title);
const keyed = (key: string, header = 'idempotency-key') => ({ [header]: key });

describe('a batch', () => {
  test('stores what can be stored, in order, and says why the rest is not', async () => {
    const bad = { type: 'responseMatches', pattern: '(' };
    const { status, body } = await batch([
      item('A', { id: 'mine' }),
      item('B', { id: 'not mine!' }),
      item('C', { id: 'mine' }),
      item('A'),
      item('E', { checks: { list: [bad] } }),
      item('F', { import: { status: 'exact' } }),
      item('G', { expectedOutput: 'x'.repeat(262_144) }),
      item('H', { nobody: 1 }),
      { steps: [prompt()] },
      item('J', { repetitions: 2 }),
      item('K', { checks: { list: [] }, assertions: { list: [] } }),
      item('L'),
    ]);
    expect(status).toBe(201);
    expect(body).toEqual({
      created: [
        { index: 0, id: expect.any(String), declaredId: 'mine', title: 'A', replayed: false },
        { index: 11, id: expect.any(String), declaredId: expect.any(String), title: 'L', replayed: false },
      ],
      failed: [
        [1, 'B', 'INVALID_CASE_ID', /^id: /],
        [2, 'C', 'DUPLICATE_CASE_ID', /mine/],
        [3, 'A', 'DUPLICATE_CONTENT', /same title and steps/],
        [4, 'E', 'INVALID_CASE', /^checks\.list\.0\.pattern: /],
        [5, 'F', 'INVALID_IMPORT', /^import\.note: /],
        [6, 'G', 'ITEM_TOO_LARGE', /262,144/],
        [7, 'H', 'INVALID_ITEM', /nobody/],
        [8, undefined, 'INVALID_ITEM', /^title: Required/],
        [9, 'J', 'INVALID_CASE', /^repetitions: /],
        [10, 'K', 'INVALID_CASE', /^assertions: Cannot be combined with/],
      ].map(([index, title, code, message]) =>
        expect.objectContaining({
          index,
          ...(title !== undefined && { title }),
          code,
          message: expect.stringMatching(message as RegExp),
        }),
      ),
      duplicatePolicy: { effectivePolicy: 'block', coerced: false },
    });
    expect(await titles()).toEqual(['Lists the ships', 'A', 'L']);
    expect((await world.read(suiteId)).revisionNumber).toBe(2);
  });

  test('that stores nothing makes no revision', async () => {
    expect((await batch([{}])).status).toBe(201);
    expect((await world.read(suiteId)).revisionNumber).toBe(1);
  });

  test.each<[string, unknown[], object, RegExp]>([
    ['of nothing', [], {}, /^cases: /],
    ['of more than a hundred', Array(101).fill({}), {}, /^cases: /],
    ['of something else', ['case'], {}, /^cases\.0: /],
    ['with a text that cannot be stored', [item('A'), item('\0')], {}, /^cases\.1\.title: .*NUL/],
    ['with a reason of nothing', [item('A')], { overrideReason: ' ' }, /^overrideReason: /],
    ['with a field nobody knows', [item('A')], { policy: 'warn' }, /policy/],
  ])('%s is refused, and nothing is written', async (_, cases, fields, message) => {
    expect(await withoutTrace(database, () => batch(cases, fields))).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR', message: expect.stringMatching(message) },
    });
  });

  test('lets twins in with a warning or without, for a reason', async () => {
    await batch([item('A')]);
    for (const duplicatePolicy of ['warn', 'create_anyway'])
      expect((await batch([item('A')], { duplicatePolicy })).body).toMatchObject({
        created: [],
        failed: [
          { index: 0, code: 'OVERRIDE_REASON_REQUIRED', message: expect.stringContaining('overrideReason') },
        ],
        duplicatePolicy: {
          requestedPolicy: duplicatePolicy,
          effectivePolicy: duplicatePolicy,
          coerced: false,
        },
      });
    const overrideReason = 'Both are wanted';
    const warned = await batch([item('A'), item('B')], { duplicatePolicy: 'warn', overrideReason });
    expect(warned.body).toMatchObject({
      created: [{ title: 'A', warnings: [{ code: 'DUPLICATE_CONTENT' }] }, { title: 'B' }],
      failed: [],
    });
    expect(warned.body.created[1]).not.toHaveProperty('warnings');
    const silent = await batch([item('A')], { duplicatePolicy: 'create_anyway', overrideReason });
    expect(silent.body.created[0]).not.toHaveProperty('warnings');
    expect(await titles()).toEqual(['Lists the ships', 'A', 'A', 'B', 'A']);
    const coerced = await batch([item('A')], { duplicatePolicy: 'allow' });
    expect(coerced.body).toMatchObject({
      failed: [{ code: 'DUPLICATE_CONTENT' }],
      duplicatePolicy: { requestedPolicy: 'allow', effectivePolicy: 'block', coerced: true },
    });
    const [latest] = (await service.get(world.at(suiteId, '/revisions'))).body.items;
    expect(latest.note).toBe(overrideReason);
  });

  test('speaks the vocabulary of the caller', async () => {
    const required = item('A', { checks: { list: [{ type: 'noToolErrors', role: 'required' }] } });
    expect((await batch([required])).body.failed).toMatchObject([
      { code: 'INVALID_CASE', message: expect.stringMatching(/^checks\.list\.0\.role: /) },
    ]);
    expect((await batch([required], {}, vocabulary2.headers)).body.created).toHaveLength(1);
  });
});

describe('a batch that comes again with its key', () => {
  test.each(['Idempotency-Key', 'x-mcpjam-idempotency-key'])(
    'in %s creates nothing twice',
    async (header) => {
      const first = await batch([item('A'), item('B')], {}, keyed('once', header));
      const again = await batch([item('A'), item('C'), item('B')], {}, keyed(' once ', header));
      const [a, b] = first.body.created;
      expect(again.body.created).toEqual([
        { ...a, index: 0, replayed: true },
        { index: 1, id: expect.any(String), declaredId: expect.any(String), title: 'C', replayed: false },
        { ...b, index: 2, replayed: true },
      ]);
      // Also when it has been edited since, and when the keys of the item stand in another order.
      await service.patch(world.at(suiteId, `/cases/${a.id}`), { title: 'Edited' });
      const turned = { steps: [prompt()], title: 'A' };
      expect((await batch([turned], {}, keyed('once', header))).body.created).toMatchObject([
        { id: a.id, title: 'Edited', replayed: true },
      ]);
      expect(await titles()).toEqual(['Lists the ships', 'Edited', 'B', 'C']);
    },
  );

  test('and an item twice is told so', async () => {
    const { body } = await batch([item('A'), item('A')], {}, keyed('twice'));
    expect(body).toMatchObject({
      created: [{ index: 0 }],
      failed: [{ index: 1, code: 'DUPLICATE_IDEMPOTENCY_KEY' }],
    });
  });

  test('and was made of something else is told so', async () => {
    await batch([item('A')], {}, keyed('other'));
    // As if another item had the same short hash.
    await database.query(`update eval_cases set request_hash = 'x' where suite_id = $1 and title = 'A'`, [
      suiteId,
    ]);
    expect((await batch([item('A')], {}, keyed('other'))).body.failed).toMatchObject([
      { code: 'IDEMPOTENCY_CONFLICT' },
    ]);
  });

  test.each(['  ', 'x'.repeat(257)])('that is blank or too long is one without', async (key) => {
    await batch([item('A')], {}, keyed(key));
    expect((await batch([item('A')], {}, keyed(key))).body.failed).toMatchObject([
      { code: 'DUPLICATE_CONTENT' },
    ]);
  });

  test('of many at once is stored once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => batch([item('A'), item('B')], {}, keyed('crowd'))),
    );
    expect(answers.filter(({ body }) => !body.created[0].replayed)).toHaveLength(1);
    expect(await titles()).toEqual(['Lists the ships', 'A', 'B']);
  });
});

/** As many more of the case with this title. */
const copy = (title: string, count: number) =>
  database.query(
    `insert into eval_cases (id, suite_id, project_id, declared_id, position, title, definition, content_hash)
     select id || n, suite_id, project_id, declared_id || n, 100000 + n, title || ' ' || n, definition, content_hash || n
     from eval_cases, generate_series(1, $3) n where suite_id = $1 and title = $2`,
    [suiteId, title, count],
  );

test('a suite holds a thousand cases, which are one page', async () => {
  await batch([item('A')]);
  await copy('A', 995);
  const { body: last } = await batch(['B', 'C', 'D', 'E'].map((title) => item(title)));
  expect(last).toMatchObject({
    created: [{ title: 'B' }, { title: 'C' }, { title: 'D' }],
    failed: [{ index: 3, code: 'UNSTORABLE_ITEM', message: expect.stringContaining('1000 cases') }],
  });
  const { body } = await service.get(world.at(suiteId, '/cases'));
  expect(body.items).toHaveLength(1000);
  expect(body).not.toHaveProperty('nextCursor');
  const titlesNow = body.items.map(({ title }: { title: string }) => title);
  expect([...titlesNow.slice(0, 3), ...titlesNow.slice(-3)]).toEqual([
    'Lists the ships',
    'A',
    'A 1',
    'B',
    'C',
    'D',
  ]);
  expect(await world.addCase(suiteId)).toMatchObject({
    status: 409,
    body: { details: { reason: 'LIMIT_REACHED', limit: 1000 } },
  });
  const page = await service.get(world.at(suiteId, '/cases?limit=999'));
  const cursor = encodeURIComponent(page.body.nextCursor);
  const rest = await service.get(world.at(suiteId, `/cases?limit=999&cursor=${cursor}`));
  expect(rest.body.items).toEqual(body.items.slice(999));
});

test('the cases of a suite are not too much to read at once', async () => {
  const long = 'x'.repeat(99_000);
  const steps = [prompt(long, '1'), prompt(long, '2'), prompt(long.slice(0, 40_000), '3')];
  await world.addCase(suiteId, { title: 'Large', steps });
  await copy('Large', 69);
  const { body } = await batch([item('Small'), { title: 'Too large', steps }, item('Small too')]);
  expect(body).toMatchObject({
    created: [{ title: 'Small' }, { title: 'Small too' }],
    failed: [{ index: 1, code: 'UNSTORABLE_ITEM', message: expect.stringContaining('16,777,216') }],
  });
  const [small] = await world.cases(suiteId);
  for (const ask of [
    () => service.patch(world.at(suiteId, `/cases/${small.id}`), { steps }),
    () => world.addCase(suiteId, { steps }),
    () => world.launch({ suiteId, tests: [{ title: 'Larger', steps }] }),
  ])
    expect(await withoutTrace(database, ask)).toMatchObject({
      status: 409,
      body: { details: { reason: 'LIMIT_REACHED' } },
    });
});
