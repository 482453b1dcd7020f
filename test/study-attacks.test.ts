// @module-tag long
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { executing, promptCase } from './support/evals.ts';
import { callThenAnswer, type ScriptedProvider } from './support/scripted-provider.ts';
import type { TestService } from './support/service.ts';
import { ok, Studies, Visitor } from './support/studies.ts';
import { answerLegacy, sendError } from './targets/legacy.ts';
import { listen, readRpc } from './targets/listen.ts';

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

const of = (id: string, below = ''): string => `${studies.project}/studies/${id}${below}`;
async function fresh(body: object = { mode: 'anyone_with_link' }, serverIds = [server]) {
  return studies.publish(await studies.environment(serverIds), body);
}
async function guestOf(link: string): Promise<Visitor> {
  const guest = new Visitor(service);
  ok(await guest.enter(link));
  return guest;
}
function gate(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((open) => (resolve = open));
  return { promise, resolve };
}
/** Holds the provider's answers until the returned function is called. */
function holdAnswers(): () => void {
  const { promise, resolve } = gate();
  provider.script = () => ({ text: 'At last.', after: promise });
  onTestFinished(() => resolve());
  return resolve;
}

describe('turns at once', () => {
  test('are few for one visitor, who keeps nobody else from chatting', async () => {
    const { id, link } = await fresh();
    const { entryUrl } = ok(
      await service.request('PUT', of(id, '/members'), { body: { email: 'eve@example.com' } }),
    );
    for (const way of [link, entryUrl]) {
      const greedy = await guestOf(way);
      const other = await guestOf(link);
      const letGo = holdAnswers();
      const sent = Promise.all(Array.from({ length: 16 }, () => greedy.say('Mine')));
      await vi.waitFor(() => expect(provider.active.now).toBe(3), 10_000);
      provider.script = () => ({ text: 'Welcome.' });
      expect((await other.say('Hello')).last).toMatchObject({ type: 'turn.ended', reply: 'Welcome.' });
      letGo();
      const ends = (await sent).map(({ last }) => last.details?.reason ?? last.type);
      expect(ends.filter((end) => end === 'VISITOR_TURN_LIMIT')).toHaveLength(13);
      expect(ends.filter((end) => end === 'turn.ended')).toHaveLength(3);
      expect((await greedy.say('Again')).last.type).toBe('turn.ended');
    }
  });

  test('of guests are sixteen, however many begin in one moment', async () => {
    const { link } = await fresh();
    const guests = await Promise.all(Array.from({ length: 24 }, () => guestOf(link)));
    const letGo = holdAnswers();
    const before = provider.requests.length;
    let refused = 0;
    const sent = Promise.all(
      guests.map(async (guest) => {
        const { last } = await guest.say('Hello');
        if (last.details?.reason === 'GUEST_TURN_LIMIT') refused++;
        return last;
      }),
    );
    await vi.waitFor(() => expect(refused + provider.requests.length - before).toBe(24), 20_000);
    expect(refused).toBe(8);
    letGo();
    expect((await sent).filter(({ type }) => type === 'turn.ended')).toHaveLength(16);
  });
});

test('a guest who hangs up before the model says what it took has spent it', async () => {
  const { id, link } = await fresh();
  const { promise, resolve } = gate();
  onTestFinished(() => resolve());
  const text = 'word '.repeat(400);
  // The last event has the usage.
  provider.script = () => ({ text, pace: (nth) => (nth > 1 ? promise : undefined) });
  const guest = await guestOf(link);
  const hangUp = new AbortController();
  const response = await fetch(`${service.origin}/visit/api/visit/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${guest.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ idempotencyKey: 'gone', message: 'x'.repeat(4_000) }),
    signal: hangUp.signal,
  });
  let heard = '';
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    heard += Buffer.from(chunk).toString();
    if (heard.includes('"type":"text"')) break;
  }
  hangUp.abort();
  // The call continues without its caller until the provider has reported the usage.
  resolve();
  await vi.waitFor(
    async () => expect((await studies.read(id, '/usage')).guestCreditsToday).toBeCloseTo(0.2, 5),
    5_000,
  );
});

describe('what stands behind a study', () => {
  async function failing(how: 'hangs up' | 'lists nothing') {
    const target = await listen(async (request, response) => {
      const { rpc } = await readRpc(request);
      const exchange = { request, response, rpc, path: '/', origin: '' };
      if (how === 'hangs up' && rpc?.method === 'tools/call') return void response.destroy();
      if (how === 'lists nothing' && rpc?.method === 'tools/list')
        return sendError(exchange, { code: -32002, message: 'No table fleet in /srv/harbour.db' });
      answerLegacy(exchange);
    });
    onTestFinished(target.stop);
    const id = await studies.evals.server({ url: `http://127.0.0.1:${target.port}/mcp` });
    return { ...(await fresh({ mode: 'anyone_with_link' }, [id])), port: String(target.port) };
  }

  test('is not told to a visitor by a server that goes away, and is to those who run it', async () => {
    const { id, link, port } = await failing('hangs up');
    provider.script = callThenAnswer({ name: 'any', input: {} }, 'It failed.');
    const guest = await guestOf(link);
    const { events, last } = await guest.say('Hello');
    expect(last).toMatchObject({ type: 'turn.ended', calls: [{ status: 'error' }] });
    const again = await guest.request('GET', `/visit/sessions/${last.sessionId}`);
    expect(JSON.stringify(events) + again.text).not.toContain(port);
    expect(JSON.stringify(provider.requests.at(-1)?.body)).not.toContain(port);
    const stored = await service.database.connect();
    const { rows } = await stored.query('select calls from study_turns where session_id = $1', [
      last.sessionId,
    ]);
    await stored.end();
    expect(JSON.stringify(rows)).toContain(port);
    expect((await studies.read(id, '/usage')).tools).toMatchObject([{ failed: 1 }]);
  });

  test('is not told in the words of a server that refuses', async () => {
    const { link } = await failing('lists nothing');
    const { last } = await (await guestOf(link)).say('Hello');
    expect(last).toMatchObject({ type: 'turn.failed', details: { reason: 'STUDY_UNAVAILABLE' } });
    expect(JSON.stringify(last)).not.toContain('harbour.db');
  });
});

describe('who was let in before and is removed while they come back', () => {
  test.each([
    ['invited_only', 401],
    ['anyone_with_link', 201],
  ])('in the mode %s', async (mode, status) => {
    const { id, link } = await fresh({ mode });
    const { entryUrl, memberId } = ok(
      await service.request('PUT', of(id, '/members'), { body: { email: 'ada@example.com' } }),
    );
    const ada = await guestOf(entryUrl);
    const before = ada.token as string;
    const remover = await service.database.connect();
    onTestFinished(() => remover.end());
    await remover.query('begin');
    await remover.query('select from studies where id = $1 for no key update', [id]);
    const coming = ada.enter(link, { before });
    const behind = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    await vi.waitFor(async () => expect((await remover.query(behind)).rowCount).toBe(1), 10_000);
    await remover.query('delete from study_members where id = $1', [memberId]);
    await remover.query('update studies set access_version = access_version + 1 where id = $1', [id]);
    await remover.query('commit');
    const answer = await coming;
    expect(answer.status).toBe(status);
    expect(answer.body.visitor?.kind).toBe(status === 201 ? 'guest' : undefined);
  });
});

test('a ticket that is used twice at once lets one in', async () => {
  const { id } = await fresh({ mode: 'invited_only' });
  const { entryUrl } = ok(
    await service.request('PUT', of(id, '/members'), { body: { email: 'ada@example.com' } }),
  );
  const all = await Promise.all(Array.from({ length: 8 }, () => new Visitor(service).enter(entryUrl)));
  expect(all.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(all.filter(({ status }) => status === 404)).toHaveLength(7);
});

test('a message that was under way when the study closed is not answered', async () => {
  const environmentId = await studies.environment([server]);
  const { id, link } = await studies.publish(environmentId);
  const guest = await guestOf(link);
  const blocker = await service.database.connect();
  onTestFinished(() => blocker.end());
  // This lock blocks the guest's turn after the token check.
  await blocker.query('begin');
  await blocker.query('lock table study_spending in access exclusive mode');
  const asked = provider.requests.length;
  const said = guest.say('Hello');
  const behind = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
  await vi.waitFor(async () => expect((await blocker.query(behind)).rowCount).toBe(1), 10_000);
  ok(await service.delete(`${studies.project}/environments/${environmentId}/study`));
  await blocker.query('commit');
  expect((await said).last).toMatchObject({ code: 'UNAUTHORIZED', details: { reason: 'ACCESS_ENDED' } });
  expect(provider.requests.length).toBe(asked);
  expect((await studies.read(id, '/sessions')).items).toEqual([]);
});

test('odd words of a visitor are kept, read, counted and made a case of', async () => {
  const { id, link } = await fresh();
  const guest = await guestOf(link);
  const suite = await studies.evals.suite({ serverIds: [server], tests: [promptCase('One', 'Hello')] });
  const words = [
    `${'x'.repeat(118)}${'😀'.repeat(2_000)}`,
    '\u202e\u200b\ufeff'.repeat(900),
    '\u0001\u0002\u001b[31m',
    'é'.normalize('NFD').repeat(2_700),
    '\n\r\t.\u2028\u2029',
  ];
  for (const message of words) {
    const { last } = await guest.say(message);
    expect(last).toMatchObject({ type: 'turn.ended' });
    const read = ok(await guest.request('GET', `/visit/sessions/${last.sessionId}`));
    expect(read.messages[0].text).toBe(message);
    const made = await service.post(of(id, `/sessions/${last.sessionId}/eval-case`), { suiteId: suite });
    expect(made.text.slice(0, 300)).toContain('"title"');
    expect(made.body.title.isWellFormed()).toBe(true);
  }
  expect((await studies.read(id, '/sessions')).items).toHaveLength(words.length);
});

test('where guests are switched off, what they had opened reaches no server either', async () => {
  const widgets = await studies.evals.server({ url: await service.widgetUrl() });
  const { id, link } = await fresh({ mode: 'anyone_with_link' }, [widgets]);
  provider.script = callThenAnswer({ name: 'counter', input: { ship: 'Albatross' } });
  const guest = await guestOf(link);
  const { sessionId, calls } = (await guest.say('Show me')).last;
  const { toolCallId } = calls[0];
  const open = () => guest.request('POST', `/visit/sessions/${sessionId}/widgets`, { toolCallId });
  const use = () =>
    guest.request('POST', `/visit/sessions/${sessionId}/widget-requests`, {
      method: 'tools/call',
      toolCallId,
      name: 'look_up',
    });
  expect([(await open()).status, (await use()).status]).toEqual([200, 200]);
  const { guestExecution } = await studies.read(id);
  ok(
    await service.request('PUT', of(id, '/guest-execution'), { body: { ...guestExecution, enabled: false } }),
  );
  for (const answer of [await open(), await use()])
    expect(answer.body).toMatchObject({ code: 'FORBIDDEN', details: { reason: 'GUESTS_DISABLED' } });
});

test('nothing of another study or project is read, rated or made a case of', async () => {
  const [mine, other] = [await fresh(), await fresh()];
  const elsewhere = await Studies.of(service, 'Elsewhere');
  const theirServer = await elsewhere.evals.server();
  const theirEnvironment = await elsewhere.environment([theirServer]);
  const theirs = await elsewhere.publish(theirEnvironment);
  const tests = [promptCase('One', 'Hello')];
  const suiteId = await studies.evals.suite({ serverIds: [server], tests });
  const theirSuite = await elsewhere.evals.suite({ serverIds: [theirServer], tests });
  const { sessionId } = (await (await guestOf(mine.link)).say('Hello')).last;
  const { sessionId: theirSession } = (await (await guestOf(theirs.link)).say('Hello')).last;
  const answers = [
    await service.get(of(other.id, `/sessions/${sessionId}`)),
    await service.get(of(mine.id, `/sessions/${theirSession}`)),
    await service.get(of(theirs.id)),
    await service.get(of(theirs.id, `/sessions/${theirSession}`)),
    await service.post(of(other.id, `/sessions/${sessionId}/eval-case`), { suiteId }),
    await service.post(of(mine.id, `/sessions/${theirSession}/eval-case`), { suiteId }),
    await service.post(of(mine.id, `/sessions/${sessionId}/eval-case`), { suiteId: theirSuite }),
    await service.post(of(mine.id, '/rebind'), { environmentId: theirEnvironment }),
    await service.post(of(theirs.id, '/rotate-link')),
    await studies.put(`/environments/${theirEnvironment}/study`, {}),
    await service.delete(`${studies.project}/environments/${theirEnvironment}/study`),
  ];
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404));
  expect((await elsewhere.read(theirs.id)).published).toBe(true);
});
