import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { largestBaseline } from '../src/contract/contract-checks.ts';
import { type SavedServer, saveServer } from './support/live.ts';
import { type Answer, dispose, startTestService, type TestService } from './support/service.ts';
import { type Changing, startChanging } from './targets/changing.ts';

let service: TestService;
let target: Changing;
let server: SavedServer;

beforeAll(async () => {
  service = await startTestService({ worker: false });
});
afterAll(() => dispose(service));

const inspect = {
  name: 'inspect_hull',
  description: 'Looks at the hull.',
  inputSchema: { type: 'object', properties: { ship: { type: 'string' } } },
  outputSchema: { type: 'object', properties: { plates: { type: 'integer' } }, required: ['plates'] },
};

beforeEach(async () => {
  target = await startChanging({ tools: [inspect, { name: 'launch', inputSchema: { type: 'object' } }] });
  onTestFinished(() => target.stop());
  server = await saveServer(service, { url: target.url });
});

const check = (body: object = {}): Promise<Answer> => server.post('contract-check', body);
const baseline = (method: string, body?: object): Promise<Answer> =>
  service.request(method, `${server.path}/contract-baseline`, { body });

/** The server after one of everything. */
function change(): void {
  const { inputSchema, outputSchema, name } = inspect;
  target.now.instructions = 'Look first.';
  target.now.tools = [
    {
      name,
      description: 'Looks at the hull, and below it.',
      inputSchema: { ...inputSchema, required: ['ship'] },
      outputSchema: { ...outputSchema, required: [] },
      annotations: { readOnlyHint: true },
    },
    { name: 'paint', inputSchema: { type: 'object' } },
  ];
}

test('a server is held against an export of it, each difference with its impact and where it is', async () => {
  const exported = (await server.post('export')).body;
  const unchanged = await check({ baseline: exported });
  expect(unchanged.body).toMatchObject({
    result: 'passed',
    failOn: 'breaking',
    baseline: { source: 'request', hash: exported.contentHash },
    current: { hash: exported.contentHash },
    counts: { breaking: 0, risky: 0, safe: 0 },
    differences: [],
    truncated: false,
  });

  change();
  const { status, body } = await check({ baseline: exported });
  expect(status).toBe(200);
  expect(body).toMatchObject({ result: 'failed', counts: { breaking: 3, risky: 3, safe: 1 } });
  expect(body.current.hash).not.toBe(exported.contentHash);
  type Listed = { impact: string; kind: string; subject: string; pointer: string; before: unknown };
  expect(
    body.differences.map(({ impact, kind, subject, pointer }: Listed) =>
      [impact, kind, subject, pointer].join(' | '),
    ),
  ).toEqual([
    'breaking | required | tool inspect_hull | /tools/0/inputSchema/required',
    'breaking | optional | tool inspect_hull | /tools/0/outputSchema/required',
    'breaking | removed | tool launch | /tools/1',
    'risky | text | server | /instructions',
    'risky | text | tool inspect_hull | /tools/0/description',
    'risky | text | tool inspect_hull | /tools/0/annotations/readOnlyHint',
    'safe | added | tool paint | /tools/1',
  ]);
  expect(body.differences[0]).toMatchObject({ after: ['ship'], message: '"ship" is required now' });
  expect(body.differences[4]).toMatchObject({
    before: 'Looks at the hull.',
    after: 'Looks at the hull, and below it.',
    in: 'current',
  });

  const { body: after } = await server.post('export');
  target.now.instructions = 'Look twice.';
  expect((await check({ baseline: after })).body.result).toBe('passed');
  expect((await check({ baseline: after, failOn: 'risky' })).body.result).toBe('failed');
});

test('the saved baseline is used when none is sent, and is gone when it is removed', async () => {
  const none = await check();
  expect(none.status).toBe(404);
  expect(none.body.details).toEqual({ reason: 'BASELINE_NOT_FOUND', baselineOf: 'server contract' });
  expect((await baseline('GET')).body.details).toEqual(none.body.details);

  const saved = await baseline('PUT', {});
  expect(saved.status).toBe(200);
  const read = (await baseline('GET')).body;
  expect(read).toMatchObject({ ...saved.body, export: { contentHash: saved.body.hash } });
  expect(read.export.tools).toEqual((await server.post('export')).body.tools);
  expect(read.savedBy).toBe((await service.get('/me')).body.id);
  change();
  expect((await check()).body).toMatchObject({
    result: 'failed',
    baseline: { source: 'saved', savedAt: saved.body.savedAt, hash: saved.body.hash },
  });

  await baseline('PUT', { export: (await server.post('export')).body });
  expect((await check()).body).toMatchObject({ result: 'passed', differences: [] });
  expect((await baseline('DELETE')).body).toEqual({ serverId: server.id, deleted: true });
  expect((await baseline('DELETE')).status).toBe(404);
  expect((await check()).status).toBe(404);

  await baseline('PUT', {});
  await service.delete(server.path);
  const database = await service.database.connect();
  onTestFinished(() => database.end());
  const left = await database.query('select from contract_baselines where server_id = $1', [server.id]);
  expect(left.rowCount).toBe(0);
});

test('what a server sends that no database would store as JSON is kept as it is', async () => {
  const odd = { ...inspect, description: 'half \ud83d and nul \0' };
  target.now.tools = [odd];
  await baseline('PUT', {});
  expect((await baseline('GET')).body.export.tools[0].description).toBe(odd.description);
  expect((await check()).body.result).toBe('passed');
});

describe('a baseline', () => {
  test('may be 4 MiB', async () => {
    const tools = (length: number) => [{ name: 'a', description: 'x'.repeat(length) }];
    expect((await baseline('PUT', { export: { tools: tools(largestBaseline - 300) } })).status).toBe(200);
    const more = await baseline('PUT', { export: { tools: tools(largestBaseline) } });
    expect(more.status).toBe(400);
    expect(more.body.details).toEqual({ reason: 'BASELINE_TOO_LARGE' });
    target.now.tools = [{ ...inspect, description: 'x'.repeat(largestBaseline) }];
    expect((await baseline('PUT', {})).body.details).toEqual({ reason: 'BASELINE_TOO_LARGE' });
    const values = { tools: [{ name: 'a', inputSchema: { enum: Array(200_001).fill(0) } }] };
    expect((await check({ baseline: values })).body.details).toEqual({ reason: 'BASELINE_TOO_LARGE' });
  });

  test.each([
    ['no export', { tools: 'none' }],
    ['no tools', {}],
    ['a tool that is none', { tools: [7] }],
  ])('is refused when it is %s', async (_, given) => {
    expect((await check({ baseline: given })).status).toBe(400);
    expect((await baseline('PUT', { export: given })).status).toBe(400);
  });

  test('that was made to keep others waiting does not', async () => {
    const levels = Array.from({ length: 40 }, (_, n) => [
      `d${n}`,
      {
        properties: {
          a: { $ref: `#/$defs/d${n + 1}`, title: 'a' },
          b: { $ref: `#/$defs/d${n + 1}`, title: 'b' },
        },
      },
    ]);
    const inputSchema = { $ref: '#/$defs/d0', $defs: Object.fromEntries(levels) };
    const tools = Array.from({ length: 200 }, (_, n) => ({ name: `t${n}`, inputSchema }));
    target.now.tools = tools.map((tool) => ({ ...tool, inputSchema: { ...inputSchema, title: 'b' } }));
    let slowest = 0;
    const over = new AbortController();
    const others = async (): Promise<void> => {
      while (!over.signal.aborted) {
        const began = performance.now();
        await service.get('/me');
        slowest = Math.max(slowest, performance.now() - began);
      }
    };
    const watching = others();
    const answer = await check({ baseline: { tools } }).finally(() => over.abort());
    await watching;
    expect(answer.body.result).toBe('failed');
    // Many times what it takes, for busy machines; without bounds it would never end.
    expect(slowest).toBeLessThan(10_000);
  });
});

test('a server that cannot be reached is told as everywhere', async () => {
  await target.stop();
  for (const answer of [await check({ baseline: { tools: [] } }), await baseline('PUT', {})]) {
    expect(answer.status).toBe(502);
    expect(answer.body).toMatchObject({ code: 'SERVER_UNREACHABLE', details: { cause: 'refused' } });
  }
  expect((await baseline('GET')).status).toBe(404);
});
