import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createClient } from '../src/surfaces/client/index.ts';
import { type Evals, executing, scriptedModel } from './support/evals.ts';
import { callThenAnswer, type ScriptedProvider } from './support/scripted-provider.ts';
import type { TestService } from './support/service.ts';

let provider: ScriptedProvider;
let service: TestService;
let evals: Evals;
let server: string;
let projectId: string;

executing(
  async (parts) => {
    ({ provider, service, evals } = parts);
    server = await evals.server();
    projectId = evals.project.slice('/projects/'.length);
  },
  { key: 'chat-provider-key-0123456789' },
);
beforeEach(() => {
  provider.requests.length = 0;
  provider.script = () => ({ text: 'Three ships are in the drydock.' });
});

let keys = 0;
const newKey = (): string => `key ${++keys}`;
const start = (fields: object = {}) => ({
  idempotencyKey: newKey(),
  projectId,
  modelId: scriptedModel,
  serverIds: [server],
  message: 'Which ships are there?',
  ...fields,
});
const send = (body: object, key = service.key) => service.post('/chat-sessions/messages', body, { key });
const lists = callThenAnswer({ name: 'list_ships', input: {} }, 'Albatross, Bittern and Cormorant.');

describe('a turn', () => {
  test('asks the model, calls tools that only read, and can be read with its trace', async () => {
    provider.script = lists;
    const { status, body } = await send(start());
    expect(status).toBe(200);
    expect(body).toMatchObject({
      projectId,
      origin: 'api',
      persisted: { outcome: 'stored', version: 1 },
      reply: 'Albatross, Bittern and Cormorant.',
      finishReason: 'stop',
      toolCalls: [{ toolName: 'list_ships', serverId: server, input: {}, status: 'ok' }],
      usage: { inputTokens: 200, outputTokens: 40, totalTokens: 240 },
      model: { id: scriptedModel, provider: 'scripted' },
      toolMode: 'read_only',
    });
    expect(body.excludedToolCount).toBeGreaterThan(0);
    const session = (await service.get(`/chat-sessions/${body.sessionId}`)).body;
    expect(session).toMatchObject({
      sessionId: body.sessionId,
      title: 'Which ships are there?',
      version: 1,
      messageCount: 4,
      turnInProgress: false,
      usage: { cumulativeInputTokens: 200, cumulativeOutputTokens: 40 },
    });
    expect(session.messages.map(({ index, role }: { index: number; role: string }) => [index, role])).toEqual(
      [
        [0, 'user'],
        [1, 'assistant'],
        [2, 'tool'],
        [3, 'assistant'],
      ],
    );
    const trace = (await service.get(`/chat-sessions/${body.sessionId}/trace`)).body;
    expect(trace).toMatchObject({ turnCount: 1, latestPromptIndex: 0, traceVersion: 1 });
    expect(trace.turns[0].spans.map(({ category }: { category: string }) => category)).toEqual([
      'step',
      'llm',
      'tool',
      'step',
      'llm',
    ]);
  });

  test('goes on with what was said before, and with what the first turn has pinned', async () => {
    const first = (await send(start({ systemPrompt: 'You are a harbour master.' }))).body;
    const next = { idempotencyKey: newKey(), sessionId: first.sessionId, message: 'And the longest?' };
    expect((await send(next)).body).toMatchObject({ persisted: { outcome: 'stored', version: 2 } });
    const [, sent] = provider.requests;
    expect(sent?.body.messages.map(({ role }: { role: string }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'user',
    ]);
    const refused = await send({
      ...next,
      idempotencyKey: newKey(),
      modelId: scriptedModel,
      toolMode: 'auto',
    });
    expect(refused).toMatchObject({
      status: 400,
      body: { details: { reason: 'CONFIG_ON_CONTINUATION', fields: ['modelId', 'toolMode'] } },
    });
    const read = (await service.get(`/chat-sessions/${first.sessionId}?afterMessageIndex=0&limit=2`)).body;
    expect(read).toMatchObject({ messageCount: 4, nextMessageIndex: 2 });
    expect(read.messages.map(({ index }: { index: number }) => index)).toEqual([1, 2]);
    const traces = (await service.get(`/chat-sessions/${first.sessionId}/trace?afterPromptIndex=-1&limit=20`))
      .body;
    expect(traces.turns.map(({ promptIndex }: { promptIndex: number }) => promptIndex)).toEqual([0, 1]);
  });

  test('offers what the message allows', async () => {
    const offered = async (fields: object): Promise<string[]> => {
      await send(start(fields));
      const tools = (provider.requests.at(-1)?.body.tools ?? []) as { function: { name: string } }[];
      return tools.map(({ function: { name } }) => name);
    };
    const all = await offered({ toolMode: 'auto' });
    const reading = await offered({});
    expect(all.length).toBeGreaterThan(reading.length);
    expect(await offered({ toolMode: 'auto', allowedTools: ['list_ships'] })).toEqual(['list_ships']);
    expect(await offered({ toolMode: 'auto', allowedTools: [] })).toEqual([]);
    expect(await offered({ maxToolCalls: 0 })).toEqual([]);
    provider.script = ({ results }) =>
      results === 0
        ? { toolCalls: [1, 2, 3].map((nth) => ({ name: 'list_ships', input: {}, id: `call-${nth}` })) }
        : { text: 'Done.' };
    const { toolCalls } = (await send(start({ maxToolCalls: 2 }))).body;
    expect(toolCalls.map(({ status }: { status: string }) => status)).toEqual(['ok', 'ok', 'error']);
  });

  test('that a hundred send at once runs once', async () => {
    const body = start({ serverIds: undefined });
    provider.script = () => ({ text: 'Once.', latencyMs: 300 });
    const answers = await Promise.all(Array.from({ length: 100 }, () => send(body)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(1);
    expect(statuses.every((status) => status === 200 || status === 409)).toBe(true);
    expect(provider.requests).toHaveLength(1);
    const refused = answers.find(({ status }) => status === 409);
    expect(refused?.body.details).toMatchObject({
      reason: 'TURN_IN_PROGRESS',
      retryAfterMs: expect.any(Number),
    });
    const replay = await send(body);
    expect(replay.body).toMatchObject({ replay: true, persisted: { outcome: 'duplicate' } });
    expect(replay.body.sessionId).toBe(answers.find(({ status }) => status === 200)?.body.sessionId);
    expect((await send({ ...body, message: 'Something else' })).body.details.reason).toBe(
      'IDEMPOTENCY_KEY_REUSED',
    );
    expect(provider.requests).toHaveLength(1);
  });

  test('that fails before the model is asked can be sent again under its key; after that it cannot', async () => {
    const away = await evals.server({ url: 'http://127.0.0.1:1/mcp' });
    const count = async () => (await service.get('/chat-sessions?limit=200')).body.items.length;
    const before = await count();
    const early = start({ serverIds: [away] });
    expect((await send(early)).status).toBe(502);
    expect((await send(early)).status).toBe(502);
    expect(await count()).toBe(before);
    expect(provider.requests).toHaveLength(0);
    provider.script = () => ({ status: 400, text: 'no' });
    const late = start();
    expect((await send(late)).body).toMatchObject({
      code: 'INTERNAL_ERROR',
      details: { reason: 'TURN_FAILED', kind: 'bad-request' },
    });
    provider.script = () => ({ text: 'Too late.' });
    expect((await send(late)).body).toMatchObject({ details: { reason: 'TURN_FAILED' } });
    expect(provider.requests).toHaveLength(1);
  });

  test('whose process was killed is failed once its lease is over, and never half', async () => {
    const { body } = await send(start());
    const database = await service.database.connect();
    onTestFinished(() => database.end());
    const cut = start({ serverIds: undefined });
    await send(cut);
    // As it stands when the process is gone: the model was asked, nothing is stored.
    await database.query(
      `update chat_turns set state = 'running', lease_until = now() - interval '1 s', ended_at = null, spans = '[]'
       where idempotency_key = $1`,
      [cut.idempotencyKey],
    );
    expect((await send(cut)).body).toMatchObject({ details: { reason: 'TURN_FAILED' } });
    const { items } = (await service.get('/chat-sessions?limit=1')).body;
    const trace = (await service.get(`/chat-sessions/${items[0].id}/trace`)).body;
    expect(trace.turns[0]).toMatchObject({
      status: 'failed',
      error: 'The service stopped while the turn ran',
    });
    expect((await service.get(`/chat-sessions/${items[0].id}`)).body.turnInProgress).toBe(false);
    expect((await service.get(`/chat-sessions/${body.sessionId}`)).body.messageCount).toBe(2);
  });

  test.each<[string, object, object]>([
    ['no model', { modelId: undefined }, { message: expect.stringContaining('modelId') }],
    ['a bare model', { modelId: 'gpt' }, { details: { reason: 'MODEL_AMBIGUOUS' } }],
    ['both targets', { environmentId: 'env_x' }, { message: expect.stringContaining('serverIds') }],
    ['no project', { projectId: undefined }, { message: expect.stringContaining('projectId') }],
    ['too many characters', { message: 'x'.repeat(8001) }, { code: 'VALIDATION_ERROR' }],
    ['too many bytes', { message: '💧'.repeat(2100) }, { message: expect.stringContaining('bytes') }],
    ['a harness', { harness: 'codex' }, { code: 'VALIDATION_ERROR' }],
    [
      'a server of somebody else',
      { allowedServerIds: ['srv_x'] },
      { message: expect.stringContaining('srv_x') },
    ],
  ])('is refused with %s, and leaves nothing', async (_, fields, expected) => {
    const before = (await service.get('/chat-sessions?limit=200')).body.items.length;
    expect(await send(start(fields))).toMatchObject({ status: 400, body: expected });
    expect((await service.get('/chat-sessions?limit=200')).body.items).toHaveLength(before);
    expect(provider.requests).toHaveLength(0);
  });
});

describe('sessions', () => {
  test('are those of their owner, and found by title and by what was said', async () => {
    provider.script = lists;
    const { body } = await send(start({ message: 'Zanzibar, please: which ships?' }));
    const { key } = await service.member('admin');
    for (const path of ['', '/trace'])
      expect((await service.get(`/chat-sessions/${body.sessionId}${path}`, { key })).status).toBe(404);
    expect(
      await send({ idempotencyKey: newKey(), sessionId: body.sessionId, message: 'Mine' }, key),
    ).toMatchObject({
      status: 404,
    });
    const found = async (query: string) =>
      (await service.get(`${evals.project}/sessions?${query}`)).body.items.map(
        ({ id }: { id: string }) => id,
      );
    expect(await found('q=zanzi')).toEqual([body.sessionId]);
    expect(await found('q=cormorant')).toEqual([]);
    expect(await found('q=cormorant&scope=transcripts')).toContain(body.sessionId);
    const { items } = (await service.get(`${evals.project}/sessions?q=zanzibar&scope=transcripts`)).body;
    expect(items).toMatchObject([{ id: body.sessionId, matchPreview: 'Zanzibar, please: which ships' }]);
    const heard = (await service.get(`${evals.project}/sessions?q=cormorant&scope=transcripts`)).body.items;
    expect(heard[0].matchPreview).toMatch(/^ships.*Cormorant.*list_ships$/);
    expect(await found('q=%25')).toEqual([]);
    const page = (await service.get('/chat-sessions?limit=1')).body;
    expect(page.items[0].id).toBe(body.sessionId);
    const rest = (await service.get(`/chat-sessions?limit=1&before=${encodeURIComponent(page.nextCursor)}`))
      .body;
    expect(rest.items[0].lastActivityAt).toBeLessThanOrEqual(page.items[0].lastActivityAt);
  });
});

describe('a turn that somebody watches', () => {
  test('is told as it happens, over its own path and by Accept', async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    provider.script = ({ results }) =>
      results === 0
        ? { toolCalls: [{ name: 'list_ships', input: {} }] }
        : { text: 'Albatross and Bittern.', pace: (event) => (event === 1 ? held : undefined) };
    const client = createClient({ baseUrl: service.running.baseUrl, apiKey: service.key });
    const seen: string[] = [];
    let text = '';
    let reply: string | undefined;
    for await (const event of client.streamChatMessage({ body: start() })) {
      seen.push(event.type);
      if (event.type === 'text') {
        text += event.text;
        // The rest is written when the first word has been read here.
        release();
      }
      if (event.type === 'turn.ended') reply = event.turn.reply;
    }
    expect([text, reply]).toEqual(['Albatross and Bittern.', 'Albatross and Bittern.']);
    expect(seen.filter((type) => type !== 'text')).toEqual([
      'turn.started',
      'tool.started',
      'tool.ended',
      'turn.ended',
    ]);
    expect(seen.filter((type) => type === 'text').length).toBeGreaterThan(1);

    const response = await fetch(`${service.running.baseUrl}/chat-sessions/messages`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${service.key}`,
        accept: 'text/event-stream',
        'content-type': 'application/json',
      },
      body: JSON.stringify(start()),
    });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    expect(await response.text()).toContain('"type":"turn.ended"');
  });

  test('ends when its reader hangs up, and the session goes on', async () => {
    let asked = (): void => {};
    const reached = new Promise<void>((resolve) => (asked = resolve));
    provider.script = () => ({ silent: (asked(), true) });
    const first = (await send(start({ modelId: 'drydock/rehearsal' }))).body;
    const gone = new AbortController();
    const client = createClient({ baseUrl: service.running.baseUrl, apiKey: service.key, retries: 0 });
    const watching = (async () => {
      for await (const event of client.streamChatMessage({ body: start() }, { signal: gone.signal }))
        if (event.type === 'turn.started') void reached.then(() => gone.abort());
    })();
    await expect(watching).rejects.toThrow();
    await expect
      .poll(async () => {
        const { items } = (await service.get('/chat-sessions?limit=1')).body;
        const { turns } = (await service.get(`/chat-sessions/${items[0].id}/trace`)).body;
        return turns[0]?.status;
      })
      .toBe('failed');
    const next = { idempotencyKey: newKey(), sessionId: first.sessionId, message: 'Still there?' };
    expect((await send(next)).status).toBe(200);
  });
});
