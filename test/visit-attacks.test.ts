// @module-tag long
import { beforeEach, describe, expect, test } from 'vitest';
import { operations as visitOperationList } from '../src/contract/visit/index.ts';
import { setMember } from '../src/domain/operator/members.ts';
import { executing } from './support/evals.ts';
import { baseOf, everyOperation } from './support/every-operation.ts';
import { everyParameter, exampleFor, fillPath, makeParameters } from './support/path-parameters.ts';
import { newSession } from './support/people.ts';
import { callThenAnswer, type ScriptedProvider } from './support/scripted-provider.ts';
import { personal, plain } from './support/secrets.ts';
import { startForTest, type TestService } from './support/service.ts';
import { snapshotOf } from './support/snapshot.ts';
import { ok, Studies, tokenIn, Visitor } from './support/studies.ts';

let provider: ScriptedProvider;
let service: TestService;
let studies: Studies;
let server: string;

executing(async (parts) => {
  ({ provider, service } = parts);
  studies = await Studies.of(service);
  server = await studies.evals.server();
});
beforeEach(() => {
  provider.script = () => ({ text: 'Three ships are in the drydock.' });
});

async function fresh(body: object = { mode: 'anyone_with_link' }, config: object = {}) {
  return studies.publish(await studies.environment([server], config), body);
}
async function guestOf(link: string): Promise<Visitor> {
  const guest = new Visitor(service);
  ok(await guest.enter(link));
  return guest;
}

describe('the token of a guest', () => {
  test('opens no operation of the API and none of the console, and changes nothing', async () => {
    const quiet = await startForTest({ worker: false });
    const parameters = await makeParameters(quiet, everyParameter);
    const { link } = ok(await quiet.get(`/projects/${parameters['projectId']}/studies`)).items[0];
    const guest = new Visitor(quiet);
    ok(await guest.enter(link.url));
    const key = guest.token as string;
    const database = await quiet.database.connect();
    const before = await snapshotOf(database);
    // Endpoints without a key are public.
    const closed = everyOperation.filter(({ access }) => access !== 'public' && access !== 'visitor');
    const opened: string[] = [];
    for (const operation of closed) {
      const path = fillPath(operation.path, parameters);
      const body = operation.body ? await exampleFor(quiet, operation, parameters) : undefined;
      for (const headers of [{}, { 'x-drydock-console': '1', cookie: `drydock_session=${key}` }]) {
        const base = baseOf(operation);
        const { status, text } = await quiet.request(operation.method, path, { key, body, base, headers });
        const refused =
          base === '/api/v1'
            ? status === 401 && /Guests cannot access this endpoint|not valid for the directory/.test(text)
            : status === 401 || status === 403;
        if (!refused) opened.push(`${operation.id} ${status} ${text.slice(0, 100)}`);
      }
    }
    expect(opened).toEqual([]);
    expect(closed.length).toBeGreaterThan(240);
    const ask = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    expect((await quiet.post('/mcp', ask, { base: '', key })).status).toBe(401);
    expect(await snapshotOf(database)).toEqual(before);
    await database.end();
  });

  test('opens only the own conversations, and no other study', async () => {
    provider.script = callThenAnswer({ name: 'list_ships', input: {} }, 'Albatross.');
    const [first, second] = [await fresh(), await fresh()];
    const mine = await guestOf(first.link);
    const { sessionId } = (await mine.say('Which ships?')).last;
    for (const other of [await guestOf(first.link), await guestOf(second.link)]) {
      const tries = [
        await other.request('GET', `/visit/sessions/${sessionId}`),
        await other.request('PUT', `/visit/sessions/${sessionId}/feedback`, { rating: 1 }),
        await other.request('POST', `/visit/sessions/${sessionId}/widgets`, { toolCallId: 'call_0' }),
        await other.request('POST', `/visit/sessions/${sessionId}/widget-requests`, {
          method: 'resources/read',
          toolCallId: 'call_0',
          uri: 'ui://x',
        }),
      ];
      expect(tries.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
      expect((await other.say('Go on', sessionId)).status).toBe(404);
    }
    expect((await studies.read(first.id, '/sessions')).items).toHaveLength(1);
  });

  test('never stands in a log, and what is stored of it opens nothing', async () => {
    const { link } = await fresh();
    const guest = await guestOf(link);
    await guest.say('Hello');
    const all = service.logs.join('\n');
    expect(all).not.toContain(guest.token);
    expect(all).not.toContain(tokenIn(link));
    const database = await service.database.connect();
    const stored = JSON.stringify(await snapshotOf(database));
    await database.end();
    expect(stored).not.toContain(guest.token);
    expect(stored).not.toContain(tokenIn(link));
  });
});

describe('operations of a visit', () => {
  test.each(visitOperationList)('$id takes no key, and no request of another page', async (operation) => {
    const path = operation.path.replaceAll(/\{\w+\}/g, 'x_1');
    const body = operation.example as object | undefined;
    const base = '/visit/api';
    const headers = { 'x-drydock-console': '1' };
    const keyed = await service.request(operation.method, path, { base, body, headers });
    expect(keyed.status).toBe(403);
    const cookie = `drydock_session=${await newSession(service, (await service.member('admin')).userId)}`;
    const foreign = { cookie, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    const answer = await service.request(operation.method, path, { base, key: null, body, headers: foreign });
    expect([401, 403]).toContain(answer.status);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });
});

test('whoever is let in without seeing the project sees the settings of the study and no more', async () => {
  const hidden = await Studies.of(service, 'Hidden');
  ok(await service.patch(hidden.project, { visibility: 'private' }));
  const environmentId = await hidden.environment([await hidden.evals.server()]);
  const { id, link } = await hidden.publish(environmentId);
  const { userId, key } = await service.member('member');
  const read = () => service.get(`${hidden.project}/studies/${id}`, { key });
  expect((await read()).status).toBe(403);
  const visitor = new Visitor(service, await newSession(service, userId));
  expect(ok(await visitor.enter(link)).visitor.kind).toBe('guest');
  const seen = ok(await read());
  expect(seen).toMatchObject({ id, serverCount: 1 });
  for (const hiddenKey of ['environmentId', 'insights', 'accessVersion', 'guestExecution'])
    expect(Object.keys(seen)).not.toContain(hiddenKey);
  expect(Object.keys(ok(await service.get(`${hidden.project}/studies/${id}`)))).toContain('environmentId');
  expect((await service.get(`${hidden.project}/studies`, { key })).status).toBe(403);
  ok(await service.patch(`${hidden.project}/studies/${id}`, { mode: 'invited_only' }));
  expect((await read()).status).toBe(403);
  const project = hidden.projectId;
  await setMember(service.db, { project }, { user: userId, role: 'member' });
  expect(Object.keys(ok(await read()))).toContain('environmentId');
});

test('a message that is no message, and one that floods, are refused', async () => {
  const { link } = await fresh();
  const guest = await guestOf(link);
  const say = (body: object) => guest.request('POST', '/visit/messages', body);
  const key = 'k';
  for (const body of [
    { idempotencyKey: key },
    { idempotencyKey: key, message: '' },
    { idempotencyKey: key, message: 'x'.repeat(8_001) },
    { idempotencyKey: key, message: 'x', modelId: 'scripted/model' },
    { idempotencyKey: key, message: 'x', serverIds: [server] },
    { idempotencyKey: key, message: 'x', systemPrompt: 'Tell all' },
    { idempotencyKey: key, message: 'a\u0000b' },
  ])
    expect((await say(body)).status).toBe(400);
  const several = await Promise.all([1, 2, 3].map(() => guest.say('At once')));
  expect(several.every(({ last }) => last.type === 'turn.ended')).toBe(true);
  const { sessionId } = several[0]?.last ?? {};
  const racing = await Promise.all([1, 2, 3].map(() => guest.say('Me first', sessionId)));
  expect(racing.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(1);
  expect(racing.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
});

test('of the secrets that an environment grants only those that are shared go where a visitor leads', async () => {
  const saved = async (secret: object): Promise<string> =>
    ok(await service.post(`${studies.project}/secrets`, secret)).id;
  const [shared, own] = [await saved(plain('SHARED')), await saved(personal('OF_THE_OWNER'))];
  const environmentId = await studies.environment([server]);
  const secretSelection = { mode: 'explicit', secretIds: [shared, own] };
  const path = `${studies.project}/environments/${environmentId}`;
  ok(await service.patch(path, { expectedRevision: 1, secretSelection }));
  const guest = await guestOf((await studies.publish(environmentId)).link);
  expect((await guest.say('Hello')).last.type).toBe('turn.ended');
  const delivered = async (id: string): Promise<number | null> =>
    ok(await service.get(`${studies.project}/secrets/${id}`)).lastDeliveredAt;
  expect(await delivered(shared)).toBeTypeOf('number');
  expect(await delivered(own)).toBeNull();
});
