import { expect, test } from 'vitest';
import { Evals, executing, promptCase } from './support/evals.ts';
import { callThenAnswer, type ScriptedProvider } from './support/scripted-provider.ts';
import { type TestService } from './support/service.ts';

/** Read access to runs. */

let provider: ScriptedProvider;
let service: TestService;
let evals: Evals;
let server: string;

executing(
  async (parts) => {
    ({ provider, service, evals } = parts);
    server = await evals.server();
  },
  { unpriced: true },
);

const inspects = callThenAnswer({ name: 'inspect_hull', input: { ship: 'Albatross' } });

async function launched(title: string, repetitions = 1): Promise<{ runId: string; suiteId: string }> {
  const tests = [promptCase(title, `Go, ${title}`)];
  const suiteId = await evals.suite({ serverIds: [server], repetitions, passThreshold: 1, tests });
  return { runId: await evals.launch({ suiteId }), suiteId };
}

interface Exported {
  runIds: string[];
  cursor: string;
  // oxlint-disable-next-line typescript/no-explicit-any
  spans: any[];
}

async function exported(cursor?: string): Promise<Exported> {
  const projectId = evals.project.split('/').at(-1);
  const after = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
  const { status, headers, body } = await service.get(`/trace-exports/otlp?projectId=${projectId}${after}`);
  expect(status).toBe(200);
  expect(headers.get('x-mcpjam-next-cursor')).toBe(body.nextCursor);
  expect(headers.get('x-mcpjam-export-complete')).toBe(String(body.complete));
  // oxlint-disable-next-line typescript/no-explicit-any
  const spans = body.resourceSpans.flatMap(({ scopeSpans }: any) => scopeSpans[0].spans);
  const runIds = spans.flatMap(
    ({ attributes }: { attributes: { key: string; value: { stringValue: string } }[] }) =>
      attributes.filter(({ key }) => key === 'drydock.eval.run_id').map(({ value }) => value.stringValue),
  );
  return { runIds, cursor: body.nextCursor as string, spans };
}

test('an export goes on with every run that ended later, whenever it was launched', async () => {
  provider.script = (request) => ({
    ...inspects(request),
    ...(JSON.stringify(request.body.messages).includes('Go, slow') && { latencyMs: 1_000 }),
  });
  const slow = await launched('slow');
  const quick = await launched('quick');
  await evals.follow(quick.runId);
  const first = await exported();
  expect(first.runIds).toEqual([quick.runId]);
  await evals.follow(slow.runId);
  const later = await launched('later');
  await evals.follow(later.runId);
  const second = await exported(first.cursor);
  expect(second.runIds).toEqual([slow.runId, later.runId]);
  expect((await exported(second.cursor)).runIds).toEqual([]);
  expect((await exported()).runIds).toEqual([quick.runId, slow.runId, later.runId]);
});

test('spans have the shape of OTLP, and each parent is among them', async () => {
  const tests = [
    {
      title: 'Pinned',
      steps: [
        {
          id: 'pin',
          kind: 'toolCall',
          serverName: 's',
          serverId: server,
          toolName: 'list_ships',
          arguments: {},
        },
        { id: 'ask', kind: 'prompt', prompt: 'Go' },
      ],
    },
  ];
  provider.script = inspects;
  const suiteId = await evals.suite({ serverIds: [server], tests });
  await evals.follow(await evals.launch({ suiteId }));
  const { spans } = await exported();
  expect(spans.length).toBeGreaterThan(5);
  const ids = new Set(spans.map(({ traceId, spanId }) => `${traceId} ${spanId}`));
  expect(ids.size).toBe(spans.length);
  for (const span of spans) {
    expect(span).toMatchObject({
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
      spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
      startTimeUnixNano: expect.stringMatching(/^\d{19}$/),
      endTimeUnixNano: expect.stringMatching(/^\d{19}$/),
    });
    expect(BigInt(span.endTimeUnixNano as string) >= BigInt(span.startTimeUnixNano as string)).toBe(true);
    for (const { value } of span.attributes)
      expect(Object.keys(value as object)).toEqual([expect.stringMatching(/^(string|int)Value$/)]);
  }
  const parents = spans.filter(({ parentSpanId }) => parentSpanId !== undefined);
  expect(parents.filter(({ traceId, parentSpanId }) => !ids.has(`${traceId} ${parentSpanId}`))).toEqual([]);
});

test('a long trace comes back whole, and goes with its suite', async () => {
  const words = 'All is well. '.repeat(20_000);
  provider.script = () => ({ text: words });
  const { runId, suiteId } = await launched('long');
  await evals.follow(runId);
  const { items } = await evals.read(runId, '/iterations');
  const trace = await evals.read(runId, `/iterations/${items[0].id}/trace`);
  expect(trace.messages.at(-1).content).toEqual([{ type: 'text', text: words }]);
  const client = await service.database.connect();
  const stored = await client.query('select blob_id from eval_traces where run_id = $1', [runId]);
  const blobId = stored.rows[0].blob_id as string;
  expect(blobId).toMatch(/^blob_/);
  expect((await exported()).runIds).toContain(runId);
  expect((await service.delete(`${evals.project}/eval-suites/${suiteId}`)).status).toBe(200);
  // Gone at once, though what it held is removed later.
  expect((await exported()).runIds).not.toContain(runId);
  await expect
    .poll(async () => {
      const left = await client.query('select from blobs where id = $1', [blobId]);
      const garbage = await client.query('select from blob_garbage where blob_id = $1', [blobId]);
      return [left.rowCount, garbage.rowCount];
    })
    .toEqual([0, 1]);
  await client.end();
});

test('iterations are paged without gaps and doubles while the run goes on', async () => {
  provider.script = (request) => ({ ...inspects(request), latencyMs: 10 });
  const { runId } = await launched('paged', 30);
  const over = evals.follow(runId);
  const seen: string[] = [];
  for (let query: string | undefined = ''; query !== undefined; ) {
    const page: { items: { id: string }[]; nextCursor?: string } = await evals.read(
      runId,
      `/iterations?limit=7${query}`,
    );
    seen.push(...page.items.map(({ id }) => id));
    query = page.nextCursor === undefined ? undefined : `&cursor=${encodeURIComponent(page.nextCursor)}`;
  }
  await over;
  const { items } = await evals.read(runId, '/iterations?limit=100');
  expect(seen).toEqual(items.map(({ id }: { id: string }) => id));
  expect(seen).toHaveLength(30);
});

test('a run is found in its own project only', async () => {
  provider.script = inspects;
  const { runId } = await launched('own');
  await evals.follow(runId);
  const { items } = await evals.read(runId, '/iterations');
  const other = await Evals.of(service, 'Other');
  const below = ['', '/iterations', '/events', '/decision-summary', '/stage-analytics'];
  const ofTrial = ['trace', 'steps'].map((name) => `/iterations/${items[0].id}/${name}`);
  for (const path of [...below, ...ofTrial]) {
    const { status, text } = await service.get(`${other.project}/eval-runs/${runId}${path}`);
    expect([path, status, text]).toEqual([path, 404, expect.stringContaining('NOT_FOUND')]);
  }
  expect((await service.post(`${other.project}/eval-runs/${runId}/cancel`)).status).toBe(404);
});

test('runs of a project, how their trials stand, and one trial say what the longer lists say', async () => {
  provider.script = inspects;
  const two = await launched('of two trials', 2);
  const other = await launched('of another suite');
  for (const { runId } of [two, other]) await evals.follow(runId);
  const runs = async (query: string): Promise<string[]> =>
    (await service.get(`${evals.project}/eval-runs?${query}`)).body.items.map(({ id }: { id: string }) => id);
  expect((await runs('limit=2')).toSorted()).toEqual([two.runId, other.runId].toSorted());
  expect(await runs(`suiteId=${two.suiteId}`)).toEqual([two.runId]);
  expect(await runs(`suiteId=${two.suiteId}&status=running`)).toEqual([]);
  const run = `${evals.project}/eval-runs/${two.runId}`;
  const { items: iterations } = (await service.get(`${run}/iterations`)).body;
  const { body: states } = await service.get(`${run}/trial-states`);
  expect(states).toMatchObject({ cases: [{ title: 'of two trials' }], tools: ['inspect_hull'] });
  expect(states.items).toMatchObject(
    iterations.map(({ id, iterationNumber, status, result }: Record<string, unknown>) => ({
      ...{ id, iterationNumber, status, result },
      case: 0,
      tools: [0],
    })),
  );
  const page = (await service.get(`${run}/trial-states?limit=1`)).body;
  const next = (await service.get(`${run}/trial-states?limit=1&cursor=${page.nextCursor}`)).body;
  expect([...page.items, ...next.items]).toEqual(states.items);
  expect((await service.get(`${run}/iterations/${iterations[1].id}`)).body).toEqual(iterations[1]);
  const elsewhere = `${evals.project}/eval-runs/${other.runId}/iterations/${iterations[1].id}`;
  expect((await service.get(elsewhere)).status).toBe(404);
});
