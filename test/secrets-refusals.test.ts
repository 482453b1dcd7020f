import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { setMember } from '../src/domain/operator/members.ts';
import { deleteUser } from '../src/domain/operator/users.ts';
import * as secretQueries from '../src/platform/database/queries/secrets.ts';
import {
  brokered,
  marker,
  personal,
  plain,
  type SecretsWorld,
  startSecretsWorld,
} from './support/secrets.ts';
import type { TestService } from './support/service.ts';
import { withoutTrace } from './support/snapshot.ts';

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

describe('what is refused', () => {
  const { brokerHosts: _, ...unbound } = brokered('X');
  test.each<[object, string]>([
    [{ ...plain('X'), name: 'lower' }, 'name: Must be in capitals'],
    [{ ...plain('X'), name: '1X' }, 'name: Must be in capitals'],
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
    [{ ...brokered('X'), brokerHeader: 'Host' }, 'brokerHeader: Reserved'],
    [{ ...brokered('X'), brokerHeader: 'x'.repeat(65) }, 'brokerHeader: '],
    [{ ...brokered('X'), brokerTemplate: 'Bearer' }, 'brokerTemplate: Must contain {}'],
    [{ ...brokered('X'), brokerTemplate: '{}\r\nX-Evil: 1' }, 'brokerTemplate: A header value is one line'],
    [{ ...brokered('X'), brokerTemplate: `{}${'x'.repeat(255)}` }, 'brokerTemplate: '],
  ])('creating %j', async (body, message) => {
    const answer = await withoutTrace(database, () => service.post(path, body));
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR' },
    });
    expect(answer.body.message).toContain(message);
    expect(answer.text).not.toContain(marker);
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
    const answer = await withoutTrace(database, () => service.patch(`${path}/${made.id}`, body));
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR' },
    });
    expect(answer.body.message).toContain(message);
    expect(answer.text).not.toContain(marker);
    await service.delete(`${path}/${made.id}`);
  });

  test('a binding for one that becomes materialized', async () => {
    const { body: made } = await service.post(path, brokered('BOUND'));
    expect(
      await withoutTrace(database, () =>
        service.patch(`${path}/${made.id}`, { delivery: 'materialized', brokerHeader: 'A' }),
      ),
    ).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
  });

  test('a secret of another project, or none', async () => {
    const { body: elsewhere } = await service.post('/projects', { name: 'Elsewhere' });
    const { body: made } = await service.post(`/projects/${elsewhere.id}/secrets`, plain('ELSEWHERE'));
    const missing = { status: 404, body: { code: 'NOT_FOUND', message: 'No such secret in this project' } };
    for (const id of [made.id, 'scr_none']) {
      expect(await withoutTrace(database, () => service.get(`${path}/${id}`))).toMatchObject(missing);
      expect(
        await withoutTrace(database, () => service.patch(`${path}/${id}`, { value: marker })),
      ).toMatchObject(missing);
      expect(await withoutTrace(database, () => service.delete(`${path}/${id}`))).toMatchObject(missing);
    }
  });
});

describe('whose it is', () => {
  const forbidden = { status: 403, body: { code: 'FORBIDDEN' } };
  const missing = { status: 404, body: { code: 'NOT_FOUND', message: 'No such secret in this project' } };

  test('only an administrator shares a secret in the project, and nothing is made personal instead', async () => {
    const { key, userId } = member;
    expect(await withoutTrace(database, () => service.post(path, plain('SHARED'), { key }))).toMatchObject(
      forbidden,
    );
    expect(
      await withoutTrace(database, () =>
        service.post(path, { ...plain('SHARED'), sharing: 'project' }, { key }),
      ),
    ).toMatchObject(forbidden);
    const { body: made } = await service.post(path, plain('SHARED'));
    expect((await service.get(`${path}/${made.id}`, { key })).body).toEqual(made);
    expect(
      await withoutTrace(database, () => service.patch(`${path}/${made.id}`, { value: marker }, { key })),
    ).toMatchObject(forbidden);
    expect(await withoutTrace(database, () => service.delete(`${path}/${made.id}`, { key }))).toMatchObject(
      forbidden,
    );

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
    expect(
      await withoutTrace(database, () => service.delete(`${path}/${made.id}`, { key: other.key })),
    ).toMatchObject(forbidden);
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
      expect(await withoutTrace(database, () => service.get(`${path}/${made.id}`, { key }))).toMatchObject(
        missing,
      );
      expect(
        await withoutTrace(database, () => service.patch(`${path}/${made.id}`, { value: marker }, { key })),
      ).toMatchObject(missing);
      expect(await withoutTrace(database, () => service.delete(`${path}/${made.id}`, { key }))).toMatchObject(
        missing,
      );
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
    expect(
      await service.db.rows(secretQueries.findVisible, { projectId: project, userId: member.userId, ids }),
    ).toEqual([
      { id: shared.id, name: 'AMONG', sharing: 'project', ownerId: null },
      { id: own.id, name: 'AMONG', sharing: 'user', ownerId: member.userId },
    ]);
    expect(
      await service.db.rows(secretQueries.findVisible, { projectId: 'prj_none', userId: member.userId, ids }),
    ).toEqual([]);
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

test('whoever is deleted while storing a secret is nobody', async () => {
  const leaving = await service.member('member');
  const before = await sealedValues();
  const deleting = await service.database.connect();
  await deleting.query('begin');
  await deleting.query('delete from users where id = $1', [leaving.userId]);
  const answer = service.post(path, personal('TOO_LATE'), { key: leaving.key });
  // Until it waits for the deletion.
  await vi.waitFor(async () => {
    const waiting =
      "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
    expect((await database.query(waiting)).rowCount).toBe(1);
  });
  await deleting.query('commit');
  await deleting.end();
  expect(await answer).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } });
  expect(await sealedValues()).toBe(before);
});

test('what was refused is not in the log', () => {
  expect(service.logs.join('')).not.toContain(marker);
});
