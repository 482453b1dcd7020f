import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setMember } from '../src/domain/operator/members.ts';
import { deleteUser } from '../src/domain/operator/users.ts';
import { findSecret, visibleSecrets } from '../src/platform/database/queries/secrets.ts';
import { type Answer, dispose, startTestService, type TestService } from './support/service.ts';
import { snapshotOf } from './support/snapshot.ts';

let service: TestService;
let database: pg.Client;
let project: string;
let path: string;
let me: string;
let member: { userId: string; key: string };
let other: { userId: string; key: string };

beforeAll(async () => {
  // Without a worker nothing but the requests writes.
  service = await startTestService({ worker: false });
  database = await service.database.connect();
  project = await service.defaultProject();
  path = `/projects/${project}/secrets`;
  me = (await service.get('/me')).body.id;
  member = await service.member('member');
  other = await service.member('member');
});
afterAll(async () => {
  await database?.end();
  await dispose(service);
});

const marker = 'tell-nobody-7c1f';
const plain = (name: string) => ({ name, value: `${marker} of ${name}`, delivery: 'materialized' as const });
const brokered = (name: string) => ({
  name,
  value: `${marker} of ${name}`,
  delivery: 'brokered' as const,
  brokerHosts: ['api.example.com'],
  brokerHeader: 'X-Api-Key',
  brokerTemplate: 'Bearer {}',
});
const personal = (name: string) => ({ ...plain(name), sharing: 'user' as const });

async function valueOf(id: string, userId: string = me): Promise<unknown> {
  const secret = await findSecret(service.db, project, userId, id);
  return service.running.services.vault.open(service.db, secret?.sealedId ?? '');
}

async function sealedValues(): Promise<number> {
  const { rows } = await database.query('select count(*)::int as count from sealed_values');
  return rows[0].count;
}

/** In ascending order. */
function statusesOf(answers: Answer[]): number[] {
  return answers.map(({ status }) => status).sort((a, b) => a - b);
}

async function refusedWithoutTrace(ask: () => ReturnType<TestService['request']>, expected: object) {
  const before = await snapshotOf(database);
  const answer = await ask();
  expect(answer).toMatchObject(expected);
  expect(answer.text).not.toContain(marker);
  expect(await snapshotOf(database)).toEqual(before);
  return answer;
}

test('a secret answers with everything but its value', async () => {
  const made = await service.post(path, {
    ...brokered('WHOLE'),
    brokerHosts: ['API.Example.com', 'localhost'],
  });
  expect(made.status).toBe(201);
  expect(made.body).toEqual({
    id: expect.stringMatching(/^scr_/),
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

describe('what is refused', () => {
  const { brokerHosts: _, ...unbound } = brokered('X');
  test.each<[object, string]>([
    [{ ...plain('X'), name: 'lower' }, 'name: Write it in capitals'],
    [{ ...plain('X'), name: '1X' }, 'name: Write it in capitals'],
    [{ ...plain('X'), name: '' }, 'name: '],
    [{ ...plain('X'), name: 'X'.repeat(65) }, 'name: '],
    [{ ...plain('X'), value: `${marker}${'x'.repeat(65_536)}` }, 'value: '],
    [{ ...plain('X'), value: undefined }, 'value: '],
    [{ ...plain('X'), value: { marker } }, 'value: '],
    [{ ...plain('X'), value: `${marker}\0` }, 'value: May not contain the NUL'],
    [{ ...plain('X'), delivery: undefined }, 'delivery: '],
    [{ ...plain('X'), delivery: 'mailed' }, 'delivery: '],
    [{ ...plain('X'), sharing: 'everyone' }, 'sharing: '],
    [{ ...plain('X'), description: 'x'.repeat(501) }, 'description: '],
    [{ ...plain('X'), description: null }, 'description: '],
    [{ ...plain('X'), ownerUserId: 'usr_other' }, 'Unrecognized key: "ownerUserId"'],
    [{ ...plain('X'), brokerHeader: 'A' }, 'brokerHeader: Not used by a secret with delivery materialized'],
    [{ ...brokered('X'), delivery: 'materialized' }, 'brokerHosts: Not used by'],
    [unbound, 'brokerHosts: Required for a secret with delivery brokered'],
    [{ ...brokered('X'), brokerHeader: undefined }, 'brokerHeader: Required'],
    [{ ...brokered('X'), brokerTemplate: undefined }, 'brokerTemplate: Required'],
    [{ ...brokered('X'), brokerHosts: [] }, 'brokerHosts: '],
    [{ ...brokered('X'), brokerHosts: Array.from({ length: 11 }, (__, i) => `h${i}`) }, 'brokerHosts: '],
    [{ ...brokered('X'), brokerHosts: ['a.example', 'A.example'] }, 'brokerHosts: Names a host twice'],
    ...[
      'https://a.example',
      'a.example:443',
      'a.example/x',
      '*.example',
      'a..example',
      '.a',
      'a.',
      '-a',
      'a-',
      '[::1]',
      'a b',
      'ä.example',
      '',
      'x'.repeat(64),
      `${'a.'.repeat(127)}a`,
    ].map((host): [object, string] => [{ ...brokered('X'), brokerHosts: [host] }, 'brokerHosts.0: ']),
    [{ ...brokered('X'), brokerHeader: 'two words' }, 'brokerHeader: Not a header name'],
    [{ ...brokered('X'), brokerHeader: 'Host' }, 'brokerHeader: This header is made'],
    [{ ...brokered('X'), brokerHeader: 'x'.repeat(65) }, 'brokerHeader: '],
    [{ ...brokered('X'), brokerTemplate: 'Bearer' }, 'brokerTemplate: Has no {}'],
    [{ ...brokered('X'), brokerTemplate: '{}\r\nX-Evil: 1' }, 'brokerTemplate: A header value is one line'],
    [{ ...brokered('X'), brokerTemplate: `{}${'x'.repeat(255)}` }, 'brokerTemplate: '],
  ])('creating %j', async (body, message) => {
    const answer = await refusedWithoutTrace(() => service.post(path, body), {
      status: 400,
      body: { code: 'VALIDATION_ERROR' },
    });
    expect(answer.body.message).toContain(message);
  });

  test.each<[object, string]>([
    [{}, 'Give at least one field to change'],
    [{ name: 'OTHER' }, 'Unrecognized key: "name"'],
    [{ sharing: 'user' }, 'Unrecognized key: "sharing"'],
    [{ value: null }, 'value: '],
    [{ value: marker, delivery: 'brokered' }, 'brokerHosts: Required for a secret with delivery brokered'],
    [
      { value: marker, delivery: 'brokered', brokerHosts: ['a'], brokerHeader: 'A' },
      'brokerTemplate: Required',
    ],
    [{ value: marker, brokerHeader: 'A' }, 'brokerHeader: Not used by a secret with delivery materialized'],
    [{ delivery: 'materialized', brokerHosts: ['a'] }, 'brokerHosts: Not used by'],
  ])('changing one that is materialized by %j', async (body, message) => {
    const { body: made } = await service.post(path, plain('PATCHED'));
    const answer = await refusedWithoutTrace(() => service.patch(`${path}/${made.id}`, body), {
      status: 400,
      body: { code: 'VALIDATION_ERROR' },
    });
    expect(answer.body.message).toContain(message);
    await service.delete(`${path}/${made.id}`);
  });

  test('a binding for one that becomes materialized', async () => {
    const { body: made } = await service.post(path, brokered('BOUND'));
    await refusedWithoutTrace(
      () => service.patch(`${path}/${made.id}`, { delivery: 'materialized', brokerHeader: 'A' }),
      { status: 400, body: { code: 'VALIDATION_ERROR' } },
    );
  });

  test('a secret of another project, or none', async () => {
    const { body: elsewhere } = await service.post('/projects', { name: 'Elsewhere' });
    const { body: made } = await service.post(`/projects/${elsewhere.id}/secrets`, plain('ELSEWHERE'));
    const missing = { status: 404, body: { code: 'NOT_FOUND', message: 'No such secret in this project' } };
    for (const id of [made.id, 'scr_none']) {
      await refusedWithoutTrace(() => service.get(`${path}/${id}`), missing);
      await refusedWithoutTrace(() => service.patch(`${path}/${id}`, { value: marker }), missing);
      await refusedWithoutTrace(() => service.delete(`${path}/${id}`), missing);
    }
  });
});

describe('whose it is', () => {
  const forbidden = { status: 403, body: { code: 'FORBIDDEN' } };
  const missing = { status: 404, body: { code: 'NOT_FOUND', message: 'No such secret in this project' } };

  test('only an administrator shares a secret in the project, and nothing is made personal instead', async () => {
    const { key, userId } = member;
    await refusedWithoutTrace(() => service.post(path, plain('SHARED'), { key }), forbidden);
    await refusedWithoutTrace(
      () => service.post(path, { ...plain('SHARED'), sharing: 'project' }, { key }),
      forbidden,
    );
    const { body: made } = await service.post(path, plain('SHARED'));
    expect((await service.get(`${path}/${made.id}`, { key })).body).toEqual(made);
    await refusedWithoutTrace(
      () => service.patch(`${path}/${made.id}`, { value: marker }, { key }),
      forbidden,
    );
    await refusedWithoutTrace(() => service.delete(`${path}/${made.id}`, { key }), forbidden);

    await setMember(service.db, { project }, { user: userId, role: 'admin' });
    const changed = await service.patch(`${path}/${made.id}`, { description: 'theirs' }, { key });
    expect(changed.body).toMatchObject({ createdByUserId: me, updatedByUserId: userId });
    expect((await service.delete(`${path}/${made.id}`, { key })).status).toBe(200);
    await setMember(service.db, { project }, { user: userId, role: 'member' });
  });

  test('whoever made a shared one and is no administrator any more cannot change it', async () => {
    await setMember(service.db, { project }, { user: other.userId, role: 'admin' });
    const { body: made } = await service.post(path, plain('FORMER'), { key: other.key });
    await setMember(service.db, { project }, { user: other.userId, role: 'member' });
    await refusedWithoutTrace(() => service.delete(`${path}/${made.id}`, { key: other.key }), forbidden);
  });

  test('a personal one is its owner’s alone, whatever the role of the others', async () => {
    const { body: made } = await service.post(path, personal('MINE'), { key: member.key });
    const listed = async (key?: string) =>
      (await service.get(path, key === undefined ? {} : { key })).body.items.map(
        ({ id }: { id: string }) => id,
      );
    expect(await listed(member.key)).toContain(made.id);
    for (const key of [service.key, other.key]) {
      expect(await listed(key)).not.toContain(made.id);
      await refusedWithoutTrace(() => service.get(`${path}/${made.id}`, { key }), missing);
      await refusedWithoutTrace(
        () => service.patch(`${path}/${made.id}`, { value: marker }, { key }),
        missing,
      );
      await refusedWithoutTrace(() => service.delete(`${path}/${made.id}`, { key }), missing);
    }
    expect((await service.patch(`${path}/${made.id}`, { value: 'next' }, { key: member.key })).status).toBe(
      200,
    );
    expect(await valueOf(made.id, member.userId)).toBe('next');
    expect((await service.delete(`${path}/${made.id}`, { key: member.key })).body).toEqual({
      id: made.id,
      projectId: project,
      name: 'MINE',
      deleted: true,
    });
  });

  test('those a user may select are found among any ids', async () => {
    const { body: shared } = await service.post(path, plain('AMONG'));
    const { body: own } = await service.post(path, personal('AMONG'), { key: member.key });
    const { body: foreign } = await service.post(path, personal('AMONG'), { key: other.key });
    const ids = [foreign.id, own.id, 'scr_none', shared.id];
    expect(await visibleSecrets(service.db, project, member.userId, ids)).toEqual([
      { id: shared.id, name: 'AMONG', sharing: 'project', ownerId: null },
      { id: own.id, name: 'AMONG', sharing: 'user', ownerId: member.userId },
    ]);
    expect(await visibleSecrets(service.db, 'prj_none', member.userId, ids)).toEqual([]);
  });

  test('they go with their owner, values included', async () => {
    const leaving = await service.member('member');
    const before = await sealedValues();
    expect((await service.post(path, personal('LEFT'), { key: leaving.key })).status).toBe(201);
    await deleteUser(service.db, leaving.userId);
    expect(await sealedValues()).toBe(before);
    const { rowCount } = await database.query("select 1 from secrets where name = 'LEFT'");
    expect(rowCount).toBe(0);
  });
});

describe('names', () => {
  const taken = (name: string) => ({
    status: 409,
    body: { code: 'CONFLICT', details: { reason: 'NAME_TAKEN', name } },
  });

  test('are taken once in the project and once for each owner', async () => {
    expect((await service.post(path, plain('TAKEN'))).status).toBe(201);
    await refusedWithoutTrace(() => service.post(path, brokered('TAKEN')), taken('TAKEN'));
    for (const { key } of [member, other]) {
      expect((await service.post(path, personal('TAKEN'), { key })).status).toBe(201);
      await refusedWithoutTrace(() => service.post(path, personal('TAKEN'), { key }), taken('TAKEN'));
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
    const old = (await findSecret(service.db, project, me, made.id))?.sealedId;
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
    await refusedWithoutTrace(() => service.patch(at, { delivery: 'brokered', brokerHosts }), {
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
  await refusedWithoutTrace(() => service.post(path, { ...plain('ONCE'), value: `${marker}!` }, options), {
    status: 409,
    body: { details: { reason: 'IDEMPOTENCY_KEY_REUSED' } },
  });
  await refusedWithoutTrace(() => service.post(path, plain('ONCE')), {
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
      // Ids tell apart what was made in different milliseconds.
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
    const answers = await Promise.all(
      ['A', 'B', 'C', 'D'].map((name, i) => service.post(own, i % 2 ? personal(name) : plain(name))),
    );
    expect(statusesOf(answers)).toEqual([201, 409, 409, 409]);
    await refusedWithoutTrace(() => service.post(own, plain('LATE')), {
      status: 409,
      body: { code: 'CONFLICT', details: { reason: 'LIMIT_REACHED', limit: 1000 } },
    });
    expect((await service.get(own)).body.items).toHaveLength(1000);
  });

  test('secrets and values go with the project', async () => {
    const before = await sealedValues();
    const own = await ownPath();
    await service.post(own, plain('GONE'));
    await service.post(own, personal('GONE'));
    expect((await service.delete(own.replace('/secrets', ''))).status).toBe(200);
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
