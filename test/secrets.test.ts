import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as secrets from '../src/platform/database/queries/secrets.ts';
import { removeDeletedContent } from './support/removal.ts';
import {
  brokered,
  marker,
  personal,
  plain,
  type SecretsWorld,
  startSecretsWorld,
} from './support/secrets.ts';
import type { Answer, TestService } from './support/service.ts';
import { snapshotOf, withoutTrace } from './support/snapshot.ts';

let world: SecretsWorld;
let service: TestService;
let database: pg.Client;
let project: string;
let path: string;
let me: string;
let member: SecretsWorld['member'];
let other: SecretsWorld['other'];

beforeAll(async () => {
  world = await startSecretsWorld();
  ({ service, database, project, path, me, member, other } = world);
});
afterAll(() => world?.end());

const valueOf: SecretsWorld['valueOf'] = (...of) => world.valueOf(...of);
const sealedValues: SecretsWorld['sealedValues'] = () => world.sealedValues();

/** The statuses in ascending order. */
function statusesOf(answers: Answer[]): number[] {
  return answers.map(({ status }) => status).sort((a, b) => a - b);
}

test('a secret answers with everything but its value', async () => {
  const made = await service.post(path, {
    ...brokered('WHOLE'),
    brokerHosts: ['API.Example.com', 'localhost'],
  });
  expect(made.status).toBe(201);
  expect(made.body).toEqual({
    id: expect.stringMatching(/^sct_/),
    projectId: project,
    name: 'WHOLE',
    description: null,
    delivery: 'brokered',
    brokerHosts: ['api.example.com', 'localhost'],
    brokerHeader: 'X-Api-Key',
    brokerTemplate: 'Bearer {}',
    sharing: 'project',
    lastDeliveredAt: null,
    createdAt: expect.any(Number),
    updatedAt: made.body.createdAt,
    createdByUserId: me,
    updatedByUserId: me,
  });
  expect(made.body.createdAt).toBeGreaterThan(Date.now() - 60_000);
  expect((await service.get(`${path}/${made.body.id}`)).body).toEqual(made.body);
  expect(await valueOf(made.body.id)).toBe(`${marker} of WHOLE`);
});

test('one that is materialized has no binding, and one that is personal has an owner', async () => {
  const { body } = await service.post(path, { ...personal('OWN'), description: 'mine' }, { key: member.key });
  expect(body).toEqual({
    id: body.id,
    projectId: project,
    name: 'OWN',
    description: 'mine',
    delivery: 'materialized',
    sharing: 'user',
    ownerUserId: member.userId,
    lastDeliveredAt: null,
    createdAt: body.createdAt,
    updatedAt: body.createdAt,
    createdByUserId: member.userId,
    updatedByUserId: member.userId,
  });
});

test.each(['', '  spaces stay \n', `{"json":"'$(x)'"} ${'ü😀'.repeat(100)}`, 'x'.repeat(65_536)])(
  'a value is kept as it is (%#)',
  async (value) => {
    const { status, body } = await service.post(path, { ...plain('EXACT'), value });
    expect(status).toBe(201);
    expect(await valueOf(body.id)).toBe(value);
    await service.delete(`${path}/${body.id}`);
  },
);

describe('names', () => {
  const taken = (name: string) => ({
    status: 409,
    body: { code: 'CONFLICT', details: { reason: 'NAME_TAKEN', name } },
  });

  test('are taken once in the project and once for each owner', async () => {
    expect((await service.post(path, plain('TAKEN'))).status).toBe(201);
    expect(await withoutTrace(database, () => service.post(path, brokered('TAKEN')))).toMatchObject(
      taken('TAKEN'),
    );
    for (const { key } of [member, other]) {
      expect((await service.post(path, personal('TAKEN'), { key })).status).toBe(201);
      expect(
        await withoutTrace(database, () => service.post(path, personal('TAKEN'), { key })),
      ).toMatchObject(taken('TAKEN'));
    }
  });

  test.each([plain('RACE'), personal('RACE')])(
    'of many creators at once exactly one wins (%#)',
    async (body) => {
      const before = await sealedValues();
      const answers = await Promise.all(Array.from({ length: 10 }, () => service.post(path, body)));
      expect(statusesOf(answers)).toEqual([201, ...Array.from({ length: 9 }, () => 409)]);
      expect(await sealedValues()).toBe(before + 1);
    },
  );

  test('are free again after a deletion', async () => {
    const first = await service.post(path, plain('FREED'));
    await service.delete(`${path}/${first.body.id}`);
    expect((await service.post(path, plain('FREED'))).status).toBe(201);
  });
});

describe('a change', () => {
  test('rotates the value, forgets the old one and touches nothing else', async () => {
    const { body: made } = await service.post(path, { ...brokered('ROTATED'), description: 'kept' });
    const old = (await service.db.row(secrets.find, { projectId: project, userId: me, id: made.id }))
      ?.sealedId;
    const before = await sealedValues();
    const { status, body } = await service.patch(`${path}/${made.id}`, { value: `${marker} next ` });
    expect(status).toBe(200);
    expect(body).toEqual({ ...made, updatedAt: expect.any(Number) });
    expect(body.updatedAt).toBeGreaterThanOrEqual(made.updatedAt);
    expect(await valueOf(made.id)).toBe(`${marker} next `);
    expect(await sealedValues()).toBe(before);
    expect((await database.query('select 1 from sealed_values where id = $1', [old])).rowCount).toBe(0);
  });

  test('leaves one value behind when many rotate at once', async () => {
    const { body: made } = await service.post(path, plain('ROTATED_AT_ONCE'));
    const before = await sealedValues();
    const values = Array.from({ length: 8 }, (_, i) => `${marker} ${i}`);
    const answers = await Promise.all(values.map((value) => service.patch(`${path}/${made.id}`, { value })));
    expect(answers.map(({ status }) => status)).toEqual(values.map(() => 200));
    expect(await sealedValues()).toBe(before);
    expect(values).toContain(await valueOf(made.id));
  });

  test('of one broker field keeps the others', async () => {
    const { body: made } = await service.post(path, brokered('REBOUND'));
    const at = `${path}/${made.id}`;
    const updatedAt = expect.any(Number);
    expect((await service.patch(at, { brokerHosts: ['B.example'] })).body).toEqual({
      ...made,
      brokerHosts: ['b.example'],
      updatedAt,
    });
    expect((await service.patch(at, { delivery: 'brokered', brokerTemplate: '{}' })).body).toEqual({
      ...made,
      brokerHosts: ['b.example'],
      brokerTemplate: '{}',
      updatedAt,
    });
    expect(await valueOf(made.id)).toBe(`${marker} of REBOUND`);
  });

  test('to materialized clears the binding, and back needs a whole one', async () => {
    const { body: made } = await service.post(path, brokered('SWITCHED'));
    const at = `${path}/${made.id}`;
    const { brokerHosts, brokerHeader, brokerTemplate, ...rest } = made;
    const updatedAt = expect.any(Number);
    expect((await service.patch(at, { delivery: 'materialized' })).body).toEqual({
      ...rest,
      delivery: 'materialized',
      updatedAt,
    });
    expect(
      await withoutTrace(database, () => service.patch(at, { delivery: 'brokered', brokerHosts })),
    ).toMatchObject({
      status: 400,
    });
    const back = await service.patch(at, { delivery: 'brokered', brokerHosts, brokerHeader, brokerTemplate });
    expect(back.body).toEqual({ ...made, updatedAt });
  });

  test('of the description sets it or takes it away', async () => {
    const { body: made } = await service.post(path, plain('DESCRIBED'));
    const at = `${path}/${made.id}`;
    expect((await service.patch(at, { description: 'said' })).body.description).toBe('said');
    expect((await service.patch(at, { value: 'x' })).body.description).toBe('said');
    expect((await service.patch(at, { description: null })).body.description).toBeNull();
  });
});

test('a deletion takes the value along and happens once', async () => {
  const before = await sealedValues();
  const { body: made } = await service.post(path, plain('DOOMED'));
  const answers = await Promise.all([1, 2, 3].map(() => service.delete(`${path}/${made.id}`)));
  expect(statusesOf(answers)).toEqual([200, 404, 404]);
  expect(answers.find(({ status }) => status === 200)?.body).toEqual({
    id: made.id,
    projectId: project,
    name: 'DOOMED',
    deleted: true,
  });
  expect((await service.get(`${path}/${made.id}`)).status).toBe(404);
  expect(await sealedValues()).toBe(before);
});

test('every write is in the audit log', async () => {
  const { body: made } = await service.post(path, plain('AUDITED'));
  await service.patch(`${path}/${made.id}`, { value: marker });
  await service.delete(`${path}/${made.id}`);
  const { rows } = await database.query(
    'select action, actor, project_id from audit_events where target = $1 order by id',
    [made.id],
  );
  expect(rows).toEqual(
    expect.arrayContaining(
      ['create', 'update', 'delete'].map((verb) => ({
        action: `secret.${verb}`,
        actor: me,
        project_id: project,
      })),
    ),
  );
});

test('a repeated Idempotency-Key answers as before; another value under it is refused', async () => {
  const options = { headers: { 'idempotency-key': 'secret-once' } };
  const first = await service.post(path, plain('ONCE'), options);
  const before = await snapshotOf(database);
  const second = await service.post(path, plain('ONCE'), options);
  expect(second).toMatchObject({ status: 201, body: first.body });
  expect(await snapshotOf(database)).toEqual(before);
  expect(
    await withoutTrace(database, () =>
      service.post(path, { ...plain('ONCE'), value: `${marker}!` }, options),
    ),
  ).toMatchObject({
    status: 409,
    body: { details: { reason: 'IDEMPOTENCY_KEY_REUSED' } },
  });
  expect(await withoutTrace(database, () => service.post(path, plain('ONCE')))).toMatchObject({
    status: 409,
    body: { details: { reason: 'NAME_TAKEN' } },
  });
});

describe('in a project of its own', () => {
  async function ownPath(): Promise<string> {
    const { body } = await service.post('/projects', { name: 'Own' });
    return `/projects/${body.id}/secrets`;
  }

  test('the list is whole and in order of creation', async () => {
    const own = await ownPath();
    expect((await service.get(own)).body).toEqual({ items: [] });
    const made: unknown[] = [];
    for (const name of ['C', 'A', 'B']) {
      made.push((await service.post(own, plain(name))).body);
      // IDs sort by the millisecond of creation.
      await new Promise((done) => setTimeout(done, 2));
    }
    expect((await service.get(own)).body).toEqual({ items: made });
  });

  test('there is room for 1,000, also when the last place is fought for', async () => {
    const own = await ownPath();
    const { body: made } = await service.post(own, plain('FIRST'));
    await database.query(
      `insert into secrets (id, project_id, name, delivery, sharing, sealed_id, created_by, updated_by)
       select s.id || n, project_id, 'N' || n, delivery, sharing, sealed_id, created_by, updated_by
       from secrets s, generate_series(1, 998) n where s.id = $1`,
      [made.id],
    );
    const answers = await Promise.all(['A', 'B', 'C', 'D'].map((name) => service.post(own, plain(name))));
    expect(statusesOf(answers)).toEqual([201, 409, 409, 409]);
    expect(await withoutTrace(database, () => service.post(own, plain('LATE')))).toMatchObject({
      status: 409,
      body: { code: 'CONFLICT', details: { reason: 'LIMIT_REACHED', limit: 1000 } },
    });
    expect((await service.get(own)).body.items).toHaveLength(1000);
    // Personal secrets have a limit of their own, so they cannot use up the project's.
    expect((await service.post(own, personal('OWN'))).status).toBe(201);
  });

  test('secrets and values go with the project', async () => {
    const before = await sealedValues();
    const own = await ownPath();
    await service.post(own, plain('GONE'));
    await service.post(own, personal('GONE'));
    expect((await service.delete(own.replace('/secrets', ''))).status).toBe(200);
    await removeDeletedContent(service.running.services);
    expect(await sealedValues()).toBe(before);
  });
});

test('no value is in any table, any answer or the log', async () => {
  await service.post(path, plain('LAST'));
  const answers = [(await service.get(path)).text, (await service.get(path, { key: member.key })).text];
  const tables = await database.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public'",
  );
  expect(tables.rows.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['secrets', 'sealed_values', 'audit_events', 'idempotency_keys']),
  );
  const written: string[] = [];
  for (const { name } of tables.rows) {
    const { rows } = await database.query<{ row: string }>(`select to_jsonb(t)::text as row from ${name} t`);
    written.push(...rows.map(({ row }) => row));
  }
  const everything = [...answers, ...service.logs, ...written].join('\n');
  for (const encoding of ['utf8', 'hex', 'base64'] as const) {
    const trace = Buffer.from(marker.slice(0, 15)).toString(encoding);
    expect(everything).not.toContain(trace);
  }
});
