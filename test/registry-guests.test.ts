// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deleteOrganization } from '../src/domain/operator/organizations.ts';
import { baseOf, everyOperation } from './support/every-operation.ts';
import { everyParameter, exampleFor, fillPath, makeParameters } from './support/path-parameters.ts';
import { dispose, startForTest, startTestService, type TestService } from './support/service.ts';
import { snapshotOf } from './support/snapshot.ts';

const hour = 3_600_000;
let ahead = 0;
let service: TestService;

beforeAll(async () => {
  service = await startTestService({ worker: false, clock: () => Date.now() + ahead });
});
afterAll(() => dispose(service));

async function mint(of: TestService = service, body: object = {}, key = of.key): Promise<string> {
  const [organization] = (await of.get('/organizations', { key })).body.items;
  const answer = await of.post(`/organizations/${organization.id}/registry/guest-tokens`, body, { key });
  expect(answer.status).toBe(201);
  expect(answer.body.token).toMatch(/^guest_/);
  return answer.body.token as string;
}

const reads = everyOperation.filter(({ access }) => access === 'directory reader');

describe('a guest token of the directory', () => {
  test('opens the three reads of the directory and nothing else, and changes nothing', async () => {
    const parameters = await makeParameters(service, everyParameter);
    const key = await mint();
    const database = await service.database.connect();
    const before = await snapshotOf(database);
    expect(reads.map(({ id }) => id).toSorted()).toEqual([
      'getRegistryDirectoryServer',
      'listRegistryDirectorySources',
      'searchRegistryDirectory',
    ]);
    for (const { path } of reads)
      expect((await service.get(fillPath(path, parameters), { key })).status).toBe(200);
    const closed = everyOperation.filter(
      ({ access }) => !['public', 'visitor', 'directory reader'].includes(access),
    );
    const opened: string[] = [];
    for (const operation of closed) {
      const path = fillPath(operation.path, parameters);
      const body = operation.body ? await exampleFor(service, operation, parameters) : undefined;
      for (const headers of [{}, { 'x-drydock-console': '1', cookie: `drydock_session=${key}` }]) {
        const base = baseOf(operation);
        const { status, text } = await service.request(operation.method, path, { key, body, base, headers });
        const refused =
          base === '/api/v1'
            ? status === 401 && text.includes('Guests cannot access this endpoint')
            : status === 401 || status === 403;
        if (!refused) opened.push(`${operation.id} ${status} ${text.slice(0, 100)}`);
      }
    }
    expect(opened).toEqual([]);
    expect(closed.length).toBeGreaterThan(240);
    for (const method of ['initialize', 'tools/list', 'tools/call'])
      expect((await service.post('/mcp', { jsonrpc: '2.0', id: 1, method }, { base: '', key })).status).toBe(
        401,
      );
    expect(await snapshotOf(database)).toEqual(before);
    await database.end();
    expect(service.logs.join('')).not.toContain(key);
  });

  test('lasts an hour, or as long as was asked for, at most a day', async () => {
    const [short, long] = [await mint(), await mint(service, { hours: 24 })];
    const statusOf = async (key: string) =>
      (await service.get('/registry/directory-servers', { key })).status;
    ahead = hour - 5_000;
    expect([await statusOf(short), await statusOf(long)]).toEqual([200, 200]);
    ahead = hour + 1_000;
    expect([await statusOf(short), await statusOf(long)]).toEqual([401, 200]);
    const { body } = await service.get('/registry/directory-servers', { key: short });
    expect(body.message).toContain('expired');
    ahead = 24 * hour + 1_000;
    expect(await statusOf(long)).toBe(401);
    ahead = 0;
    const [{ id }] = (await service.get('/organizations')).body.items;
    for (const hours of [0, 25, 1.5, '2', null])
      expect((await service.post(`/organizations/${id}/registry/guest-tokens`, { hours })).status).toBe(400);
  });

  test('that was changed in any place, or made elsewhere, opens nothing', async () => {
    const key = await mint();
    const other = await startForTest({ worker: false });
    const foreign = await mint(other);
    const changed = Array.from(key.slice(6), (letter, at) => {
      const place = at + 6;
      return `${key.slice(0, place)}${letter === 'A' ? 'B' : 'A'}${key.slice(place + 1)}`;
    });
    for (const wrong of [
      foreign,
      'guest_',
      'guest_x',
      `${key}A`,
      key.slice(0, -1),
      key.replace('guest_', 'guest__'),
      ...changed,
    ]) {
      const answer = await service.get('/registry/directory-servers', { key: wrong });
      expect(answer.status).toBe(401);
    }
    expect((await service.get('/registry/directory-servers', { key })).status).toBe(200);
  });

  test('ends with the organization it was made in', async () => {
    const { key, organizationId } = await service.stranger();
    const token = await mint(service, {}, key);
    expect((await service.get('/registry/directory-servers', { key: token })).status).toBe(200);
    await deleteOrganization(service.db, organizationId);
    expect((await service.get('/registry/directory-servers', { key: token })).status).toBe(401);
  });

  test('has a budget of its own', async () => {
    const limited = await startForTest({ worker: false, env: { DRYDOCK_RATE_LIMIT: '600/600' } });
    const [first, second] = [await mint(limited), await mint(limited)];
    const statuses = await Promise.all(
      Array.from(
        { length: 80 },
        async () => (await limited.get('/registry/directory-sources', { key: first })).status,
      ),
    );
    expect(statuses.filter((status) => status === 200).length).toBeLessThan(70);
    expect(statuses).toContain(429);
    expect((await limited.get('/registry/directory-sources', { key: second })).status).toBe(200);
  });
});
