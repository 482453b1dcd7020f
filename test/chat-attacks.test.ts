import type pg from 'pg';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type Evals, executing, scriptedModel } from './support/evals.ts';
import type { ScriptedProvider } from './support/scripted-provider.ts';
import { startTestService, type TestService } from './support/service.ts';
import { type Changing, startChanging } from './targets/changing.ts';

let provider: ScriptedProvider;
let service: TestService;
let evals: Evals;
let projectId: string;
let database: pg.Client;

const providerKey = 'chat-provider-key-0123456789';
executing(
  async (parts) => {
    ({ provider, service, evals } = parts);
    projectId = evals.project.slice('/projects/'.length);
  },
  { key: providerKey },
);
beforeEach(async () => {
  provider.requests.length = 0;
  provider.script = () => ({ text: 'Aye.' });
  database = await service.database.connect();
  return () => database.end();
});

let keys = 0;
const newKey = (): string => `attack ${++keys}`;
const start = (fields: object = {}) => ({
  idempotencyKey: newKey(),
  projectId,
  modelId: scriptedModel,
  message: 'Which ships are there?',
  ...fields,
});
const send = (body: object, key = service.key) => service.post('/chat-sessions/messages', body, { key });

const look = {
  name: 'look',
  inputSchema: { type: 'object', properties: {} },
  annotations: { readOnlyHint: true },
};
/** A changeable target server, saved in the project. */
async function hostile(now: Parameters<typeof startChanging>[0] = {}): Promise<Changing & { id: string }> {
  const target = await startChanging({ tools: [look], ...now });
  onTestFinished(() => target.stop());
  return Object.assign(target, { id: await evals.server({ url: target.url }) });
}
/** A script that calls `look` once and then answers with `last`. */
const lookThen =
  (last: ReturnType<ScriptedProvider['script']>): ScriptedProvider['script'] =>
  ({ results }) =>
    results === 0 ? { toolCalls: [{ name: 'look', input: {} }] } : last;

interface TurnInDatabase {
  id: string;
  state: string;
  error: string | null;
  credits: string[];
}
/** The stored turn of an idempotency key, and the credits booked for it. */
async function turnOf({ idempotencyKey }: { idempotencyKey: string }): Promise<TurnInDatabase | undefined> {
  const { rows } = await database.query<TurnInDatabase>(
    `select id, state, error, array(
       select amount::float8 from ledger_entries where reason = 'chat turn ' || t.id) as credits
     from chat_turns t where idempotency_key = $1`,
    [idempotencyKey],
  );
  return rows[0];
}
/** Cost of one answer: 100 input tokens at 10 USD and 20 output tokens at 50 USD a million. */
const creditsOfAnswer = 0.2;

describe('what a turn has cost is booked once', () => {
  test('when the model fails after its first answer, whatever the provider says about it', async () => {
    const { id } = await hostile();
    provider.script = lookThen({ status: 400, text: 'no \0 and \ud800' });
    const body = start({ serverIds: [id] });
    expect(await send(body)).toMatchObject({ status: 500, body: { details: { reason: 'TURN_FAILED' } } });
    expect(await turnOf(body)).toMatchObject({ state: 'failed', credits: [creditsOfAnswer] });
    expect((await send(body)).status).toBe(500);
    expect(await turnOf(body)).toMatchObject({ credits: [creditsOfAnswer] });
  });

  test('when it cannot be stored, and the session goes on at once', async () => {
    const first = (await send(start())).body;
    await database.query(
      `create function refuse_messages() returns trigger language plpgsql as $$ begin raise 'no room'; end $$;
       create trigger refuse before insert on chat_messages for each row execute function refuse_messages()`,
    );
    const body = { idempotencyKey: newKey(), sessionId: first.sessionId, message: 'And now?' };
    const answer = await send(body);
    await database.query('drop function refuse_messages cascade');
    expect(answer).toMatchObject({
      status: 200,
      body: { reply: 'Aye.', sessionId: null, persisted: { outcome: 'failed' } },
    });
    expect(await turnOf(body)).toMatchObject({
      state: 'failed',
      error: 'The turn could not be stored',
      credits: [creditsOfAnswer],
    });
    expect((await send({ ...body, idempotencyKey: newKey() })).body.persisted).toEqual({
      outcome: 'stored',
      version: 2,
    });
  });
});

test('whoever lost the turn to another neither asks the model nor takes the session away', async () => {
  const target = await hostile();
  let listed = (): void => {};
  const connecting = new Promise<void>((resolve) => (listed = resolve));
  let goOn = (): void => {};
  const held = new Promise<void>((resolve) => (goOn = resolve));
  target.now.listing = () => {
    listed();
    return held;
  };
  const body = start({ serverIds: [target.id] });
  const slow = send(body);
  await connecting;
  // Another replica takes the lease, as when this process stalls past it and the message is sent again.
  await database.query(`update chat_turns set lease_token = 'of another' where idempotency_key = $1`, [
    body.idempotencyKey,
  ]);
  goOn();
  expect(await slow).toMatchObject({
    status: 409,
    body: { details: { reason: 'SESSION_VERSION_CONFLICT' } },
  });
  expect(provider.requests).toHaveLength(0);
  expect(await turnOf(body)).toMatchObject({ state: 'running' });
});

test('a reader that hangs up before the first event leaves no turn under way', async () => {
  const body = start();
  const holding = await service.database.connect();
  onTestFinished(() => holding.end());
  await holding.query('begin; lock table chat_turns in exclusive mode');
  const gone = new AbortController();
  const reading = fetch(`${service.running.baseUrl}/chat-sessions/messages/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: gone.signal,
  });
  const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%chat_turns%'
    and datname = current_database()`;
  await expect.poll(async () => (await database.query(waiting)).rowCount).toBe(1);
  gone.abort();
  await expect(reading).rejects.toThrow();
  // Once this later request is answered, the service has noticed the disconnect.
  await service.get('/me');
  await holding.query('commit');
  // The model was not called, so a retry with the same key runs at once, without waiting for a lease.
  await expect.poll(async () => (await send(body)).status).toBe(200);
  expect(provider.requests).toHaveLength(1);
});

test('a turn that has ended is told again when nothing more may be spent, and when its model is gone', async () => {
  const body = start();
  const { sessionId, turnId } = (await send(body)).body;
  const organization = (await service.get('/organizations')).body.items[0].id as string;
  const budget = `/organizations/${organization}/spend-budget`;
  await service.request('PUT', budget, { body: { capUsd: 0 } });
  onTestFinished(async () => void (await service.delete(budget)));
  const further = start();
  expect(await send(further)).toMatchObject({
    status: 429,
    body: { details: { reason: 'SPEND_BUDGET_REACHED' } },
  });
  expect(await turnOf(further)).toBeUndefined();
  expect((await send(body)).body).toMatchObject({ turnId, replay: true });
  await service.delete(budget);
  await database.query(
    `update chat_sessions set config = config || '{"modelId": "scripted/gone"}' where id = $1`,
    [sessionId],
  );
  expect((await send(body)).body).toMatchObject({ turnId, replay: true });
  expect(await send({ idempotencyKey: newKey(), sessionId, message: 'Go on.' })).toMatchObject({
    status: 400,
  });
  expect(provider.requests).toHaveLength(1);
});

test.each(['?afterMessageIndex=2147483647', '/trace?afterPromptIndex=9007199254740991'])(
  'a place that no session has is refused: %s',
  async (query) => {
    const { sessionId } = (await send(start())).body;
    expect((await service.get(`/chat-sessions/${sessionId}${query}`)).status).toBe(400);
  },
);

describe('a provider that repeats its key', () => {
  test('in the names of tools, ids and arguments of an answer in events shows it to nobody', async () => {
    provider.script = ({ results }) =>
      results === 0
        ? { toolCalls: [{ name: `use-${providerKey}`, input: { key: providerKey }, id: providerKey }] }
        : { text: `It is ${providerKey}.` };
    const response = await fetch(`${service.running.baseUrl}/chat-sessions/messages/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(start()),
    });
    const told = await response.text();
    expect(told).toContain('use-[hidden]');
    const sessionId = /"sessionId":"(\w+)"/.exec(told)?.[1];
    const kept = await service.get(`/chat-sessions/${sessionId}`);
    const trace = await service.get(`/chat-sessions/${sessionId}/trace`);
    expect(kept.body.messages).toHaveLength(4);
    for (const text of [told, kept.text, trace.text, ...service.logs])
      expect(text).not.toContain(providerKey);
  });
});

describe('much at once', () => {
  test('four turns of an organization, over all processes; the refused one is sent again with its key', async () => {
    const { dataDir, modelsFile } = service.running.services.config;
    const env = { DRYDOCK_MODELS_FILE: modelsFile as string };
    const replica = await startTestService({ worker: false, database: service.database, dataDir, env });
    onTestFinished(() => replica.stop());
    provider.script = () => ({ text: 'Aye.', latencyMs: 5_000 });
    const turns = Array.from({ length: 4 }, () => send(start()));
    await expect.poll(() => provider.requests.length).toBe(4);
    const fifth = start();
    const ask = () => replica.post('/chat-sessions/messages', fifth, { key: service.key });
    const refused = await ask();
    expect(refused).toMatchObject({
      status: 429,
      body: { code: 'RATE_LIMITED', details: { reason: 'CONCURRENT_TURN_LIMIT', maxConcurrentTurns: 4 } },
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    for (const { status } of await Promise.all(turns)) expect(status).toBe(200);
    expect((await ask()).status).toBe(200);
  });

  test('results beyond what is told, shown and kept are cut, and every call keeps its result', async () => {
    const calls = 64;
    const huge = 'y'.repeat(250_000);
    const { id } = await hostile({
      call: () => ({ content: [{ type: 'text', text: huge }], _meta: { huge: true }, $secret: 1 }),
    });
    const input = { note: 'x'.repeat(6_000) };
    provider.script = ({ results }) =>
      results === 0
        ? { text: 'I look.', toolCalls: Array.from({ length: calls }, () => ({ name: 'look', input })) }
        : { text: 'Much.' };
    const { body, text } = await send(start({ serverIds: [id] }));
    expect(body.toolCalls).toHaveLength(calls);
    expect(body.toolCalls[0]).toMatchObject({ status: 'ok', truncated: true });
    expect(text).not.toMatch(/_meta|\$secret/);
    expect(text.length).toBeLessThan(6_000_000);
    // The results that the model receives are bounded in total.
    const told = provider.requests[1]?.body.messages as { role: string; content: string }[];
    const results = told.filter(({ role }) => role === 'tool').map(({ content }) => content);
    expect(results.join('').length).toBeLessThan(4_001_000);
    const kept = (await service.get(`/chat-sessions/${body.sessionId}`)).body.messages;
    for (const { content } of kept) expect(JSON.stringify(content).length).toBeLessThan(400_000);
    provider.requests.length = 0;
    expect(
      (await send({ idempotencyKey: newKey(), sessionId: body.sessionId, message: 'Go on.' })).status,
    ).toBe(200);
    const [again] = provider.requests;
    const sent = again?.body.messages as { tool_calls?: { id: string }[]; tool_call_id?: string }[];
    const made = sent.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id: call }) => call));
    expect(made).toHaveLength(calls);
    expect(sent.flatMap(({ tool_call_id: call }) => call ?? [])).toEqual(made);
  });
});
