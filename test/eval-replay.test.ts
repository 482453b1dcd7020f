import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { newId } from '../src/platform/ids.ts';
import { type Evals, executing, scriptedModel } from './support/evals.ts';
import type { Answer, TestService } from './support/service.ts';
import { type Changing, startChanging } from './targets/changing.ts';

let service: TestService;
let evals: Evals;
executing((parts) => void ({ service, evals } = parts));

const readOnly = { readOnlyHint: true };
const inputSchema = { type: 'object' };
const tools = [
  { name: 'look', inputSchema, annotations: readOnly },
  { name: 'clock', inputSchema, annotations: readOnly },
  { name: 'hull', inputSchema, annotations: readOnly, outputSchema: { type: 'object' } },
  { name: 'leave', inputSchema, annotations: readOnly },
  { name: 'paint', inputSchema },
  { name: 'sink', inputSchema, annotations: { readOnlyHint: true, destructiveHint: true } },
];

const text = (value: string, more: object = {}) => ({ content: [{ type: 'text', text: value }], ...more });
const plates = (structuredContent: object) => ({ content: [], structuredContent });

function answerThen(name: string): object {
  if (name === 'clock') return text('10:15');
  return name === 'hull' ? plates({ plates: 7, note: 'fine' }) : text(`${name} then`);
}

let target: Changing;
beforeEach(async () => {
  target = await startChanging({ tools, call: answerThen });
  onTestFinished(() => target.stop());
});

interface Call {
  toolName: string;
  arguments?: object;
}

/** A run that made these calls, twice; no model is asked. */
async function runOf(calls: Call[], server: object = { url: target.url }, trials = 2): Promise<string> {
  const serverName = newId('s');
  const serverId = await evals.server({ ...server, name: serverName });
  const steps = calls.map((call, n) => ({
    id: `${n}`,
    kind: 'toolCall',
    serverName,
    arguments: {},
    ...call,
  }));
  const suite = await evals.suite({
    name: newId('suite'),
    serverIds: [serverId],
    repetitions: trials,
    passThreshold: 0.5,
    tests: [{ title: 'calls', steps, advancedConfig: { failOnToolError: false } }],
  });
  const runId = await evals.launch({ suiteId: suite });
  await evals.decided(runId);
  target.called.length = 0;
  return runId;
}

const replay = (runId: string, body: object = {}): Promise<Answer> =>
  service.post(`${evals.project}/eval-runs/${runId}/replay`, body);
const outcomes = ({ body }: Answer): string[] =>
  body.items.map(({ toolName, outcome }: Record<string, string>) => `${toolName} ${outcome}`);

test('each call is made once more, and what differs is told as content, schema or error', async () => {
  const names = ['look', 'look', 'clock', 'hull', 'leave', 'paint', 'sink'];
  const runId = await runOf(names.map((toolName) => ({ toolName })));
  const before = await replay(runId);
  expect(before.status).toBe(200);
  expect(outcomes(before)).toEqual([
    'look same',
    'clock same',
    'hull same',
    'leave same',
    'paint skipped',
    'sink skipped',
  ]);
  expect(before.body.summary).toEqual({
    ...{ calls: 6, same: 4, content: 0, schema: 0, error: 0, skipped: 2, unavailable: 0 },
    result: 'passed',
  });
  expect(before.body).not.toHaveProperty('nextCursor');
  expect(target.called.toSorted()).toEqual(['clock', 'hull', 'leave', 'look']);

  target.now.tools = tools.filter(({ name }) => name !== 'leave');
  target.now.call = (name) => {
    if (name === 'clock') return text('10:16');
    if (name === 'hull') return plates({ plates: '7', note: 'fine' });
    return text('no ship', { isError: name === 'look' });
  };
  const after = await replay(runId);
  expect(outcomes(after)).toEqual([
    'look error',
    'clock content',
    'hull schema',
    'leave error',
    'paint skipped',
    'sink skipped',
  ]);
  expect(after.body.summary).toMatchObject({ content: 1, schema: 1, error: 2, result: 'failed' });
  const [look, clock, hull, leave] = after.body.items;
  expect(look).toMatchObject({
    before: { isError: false, preview: 'look then' },
    after: { isError: true, preview: 'no ship' },
  });
  expect(clock.pointers).toEqual(['/content/0/text']);
  expect(hull.pointers).toEqual(['/structuredContent/plates']);
  expect(leave).toMatchObject({ reason: 'The server no longer has the tool' });
  expect(leave).not.toHaveProperty('after');

  target.called.length = 0;
  const writes = await replay(runId, { includeWrites: true, tools: ['paint', 'sink'] });
  expect(outcomes(writes)).toEqual(['paint content', 'sink content']);
  expect(target.called.toSorted()).toEqual(['paint', 'sink']);
});

test('what the tool declares now decides whether it is called', async () => {
  const runId = await runOf([{ toolName: 'look' }, { toolName: 'paint' }]);
  target.now.tools = [
    { name: 'look', inputSchema },
    { name: 'paint', inputSchema, annotations: readOnly },
  ];
  expect(outcomes(await replay(runId))).toEqual(['look skipped', 'paint same']);
});

test('pages go on where they ended, and no call is made twice', async () => {
  const calls = Array.from({ length: 7 }, (_, nth) => ({ toolName: 'look', arguments: { nth } }));
  const runId = await runOf([...calls, ...calls], undefined, 3);
  const seen: number[] = [];
  let cursor: string | undefined;
  do {
    const { status, body } = await replay(runId, { limit: 3, ...(cursor !== undefined && { cursor }) });
    expect(status).toBe(200);
    expect(body.items.length).toBeLessThanOrEqual(3);
    seen.push(...body.items.map((item: { arguments: { nth: number } }) => item.arguments.nth));
    cursor = body.nextCursor;
  } while (cursor !== undefined);
  expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(target.called).toHaveLength(7);

  const first = await replay(runId, { limit: 3 });
  const other = await replay(runId, { limit: 3, tools: ['look'], cursor: first.body.nextCursor });
  expect(other.status).toBe(400);
  const { items } = await evals.read(runId, '/iterations');
  const one = await replay(runId, { iterationIds: [items[2].id] });
  expect(one.body.items).toHaveLength(7);
  expect(one.body.items[0].iterationId).toBe(items[2].id);
  expect((await replay(runId, { iterationIds: ['itr_nobody'] })).status).toBe(404);
});

test('a server that is not there, hangs or is deleted is unavailable, which is no failure of its tools', async () => {
  const runId = await runOf([{ toolName: 'look' }], { url: target.url, timeout: 300 });
  target.now.call = () => undefined;
  const hanging = await replay(runId);
  expect(outcomes(hanging)).toEqual(['look unavailable']);
  expect(hanging.body.summary.result).toBe('incomplete');
  await target.stop();
  const stopped = await replay(runId);
  expect(outcomes(stopped)).toEqual(['look unavailable']);
  expect(stopped.body.items[0].reason).toMatch(/refused|listens/i);
  const { items } = (await service.get(`${evals.project}/servers`)).body;
  await service.delete(`${evals.project}/servers/${items.at(-1).id}`);
  expect((await replay(runId)).body.items[0].reason).toBe('The server was deleted after the run');
});

test('calls that traces do not hold whole are skipped, and secrets stand in no preview', async () => {
  const secret = 's3cret-harbour-token';
  target.now.call = (name, _, headers) =>
    name === 'look' ? text('x'.repeat(300_000)) : text(`You sent ${String(headers['x-token'])}`);
  const runId = await runOf(
    [{ toolName: 'look' }, { toolName: 'clock' }, { toolName: 'clock', arguments: { token: '[hidden]' } }],
    { url: target.url, headers: { 'x-token': secret } },
  );
  const same = await replay(runId);
  expect(outcomes(same)).toEqual(['look skipped', 'clock same', 'clock skipped']);
  target.now.call = (_name, _input, headers) => text(`Now ${String(headers['x-token'])}`);
  const changed = await replay(runId);
  expect(outcomes(changed)).toEqual(['look skipped', 'clock content', 'clock skipped']);
  expect(changed.body.items[1].after.preview).toBe('Now [hidden]');
  expect(same.text + changed.text).not.toContain(secret);
});

test('a run that goes on, or ran elsewhere, is not replayed', async () => {
  target.now.call = () => undefined;
  const serverName = newId('s');
  const serverId = await evals.server({ url: target.url, name: serverName });
  const suite = await evals.suite({
    name: newId('suite'),
    serverIds: [serverId],
    tests: [
      { title: 'c', steps: [{ id: '1', kind: 'toolCall', serverName, toolName: 'look', arguments: {} }] },
    ],
  });
  const runId = await evals.launch({ suiteId: suite });
  const open = await replay(runId);
  expect(open.status).toBe(409);
  expect(open.body.details).toMatchObject({ reason: 'RUN_NOT_TERMINAL' });
  await service.post(`${evals.project}/eval-runs/${runId}/cancel`);
  expect((await replay(runId)).body).toMatchObject({ summary: { calls: 0, result: 'incomplete' } });

  const report = { suiteName: newId('r'), results: [{ caseTitle: 'a', passed: true }] };
  const reported = (await service.post(`${evals.project}/eval-ingest/report`, report)).body.runId as string;
  const elsewhere = await replay(reported);
  expect(elsewhere.status).toBe(409);
  expect(elsewhere.body.details).toMatchObject({ reason: 'RUN_NOT_REPLAYABLE' });
});

async function made(path: string, body: object): Promise<string> {
  const answer = await service.post(`${evals.project}/${path}`, body);
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return answer.body.id as string;
}

test('what the environment grants is brought as to a run, unless it was edited since', async () => {
  const value = 'brought-to-the-harbour';
  target.now.call = (_name, _input, headers) => text(headers['x-brought'] === value ? 'known' : 'unknown');
  const serverName = newId('s');
  const serverId = await evals.server({ url: target.url, name: serverName });
  const secretId = await made('secrets', {
    name: `BROKERED_${Math.floor(Math.random() * 1e9)}`,
    value,
    delivery: 'brokered',
    brokerHosts: ['127.0.0.1'],
    brokerHeader: 'X-Brought',
    brokerTemplate: '{}',
  });
  const config = { modelId: scriptedModel, serverIds: [serverId] };
  const environmentId = await made('environments', {
    name: newId('environment'),
    hostId: await made('clients', { name: newId('client'), config }),
    secretSelection: { mode: 'explicit', secretIds: [secretId] },
  });
  const suiteId = await evals.suite({
    name: newId('suite'),
    serverIds: [serverId],
    tests: [
      { title: 'c', steps: [{ id: '1', kind: 'toolCall', serverName, toolName: 'look', arguments: {} }] },
    ],
  });
  await service.post(`${evals.project}/eval-suites/${suiteId}/environments`, { environmentId });
  const runId = await evals.launch({ suiteId, environmentId });
  await evals.decided(runId);
  const again = await replay(runId);
  expect(outcomes(again)).toEqual(['look same']);
  expect(again.body.items[0].after.preview).toBe('known');

  const edit = { expectedRevision: 1, secretSelection: null };
  const patched = await service.patch(`${evals.project}/environments/${environmentId}`, edit);
  expect([patched.status, patched.text]).toEqual([200, expect.any(String)]);
  const edited = await replay(runId);
  expect(outcomes(edited)).toEqual(['look unavailable']);
  expect(edited.body.items[0].reason).toContain('was edited');
});
