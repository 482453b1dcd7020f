// @module-tag long
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { telemetrySettings } from '../src/platform/telemetry/variables.ts';
import { type Collector, type SeenSpan, startCollector } from './support/collector.ts';
import { type EchoTarget, startEcho } from './support/echo-target.ts';
import { type Drydock, type Place, place } from './support/process.ts';
import { callThenAnswer, type ScriptedProvider, startProvider } from './support/scripted-provider.ts';

const secrets = {
  key: `sk_${'tell-nobody-'.repeat(4)}`,
  header: 'header-of-the-server-tell-nobody',
  provider: 'key-of-the-provider-tell-nobody',
  collector: 'key-of-the-collector-tell-nobody',
  prompt: 'prompt-tell-nobody',
  argument: 'argument-tell-nobody',
  query: 'query-tell-nobody',
};
const caller = { trace: 'c0ffee'.padEnd(32, '1'), span: 'beef'.padEnd(16, '2') };

const ends: (() => Promise<void>)[] = [];
let home: Place;
let target: EchoTarget;
let provider: ScriptedProvider;
let modelsFile: string;

beforeAll(async () => {
  home = await place(undefined, (end) => ends.push(end));
  target = await startEcho('traceparent');
  provider = await startProvider(
    callThenAnswer({ name: 'echo', input: { way: secrets.argument } }, 'It answered.'),
  );
  modelsFile = join(home.dataDir, 'models.json');
  const connection = {
    name: 'scripted',
    wire: 'openai-chat',
    baseUrl: provider.url,
    apiKeyEnv: 'SCRIPTED_PROVIDER_KEY',
  };
  const model = { id: 'scripted/model', connection: 'scripted', model: 'scripted-1' };
  await writeFile(modelsFile, JSON.stringify({ connections: [connection], models: [model] }));
  ends.push(target.stop, () => provider.close());
});
afterAll(async () => {
  for (const end of ends) await end();
});

/** A service that exports to the collector, and a function that sends requests to it. */
async function serving(collector: Collector, env: Record<string, string> = {}) {
  const service = await home.serve({
    DRYDOCK_BOOTSTRAP_KEY: secrets.key,
    DRYDOCK_MODELS_FILE: modelsFile,
    SCRIPTED_PROVIDER_KEY: secrets.provider,
    OTEL_SDK_DISABLED: '',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${secrets.collector}`,
    OTEL_BSP_SCHEDULE_DELAY: '200',
    ...env,
  });
  onTestFinished(() => void service.child.kill('SIGKILL'));
  const ask = async (path: string, body?: object) => {
    const response = await fetch(`${service.baseUrl}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: {
        authorization: `Bearer ${secrets.key}`,
        'content-type': 'application/json',
        traceparent: `00-${caller.trace}-${caller.span}-01`,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${response.status} ${text}`);
    return text.startsWith('{') ? JSON.parse(text) : text;
  };
  return { service, ask };
}

async function collectorForTest(): Promise<Collector> {
  const collector = await startCollector();
  onTestFinished(collector.stop);
  return collector;
}

function metricNames(text: string): string[] {
  return [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name as string);
}

const childrenOf = (spans: SeenSpan[], { spanId }: SeenSpan) =>
  spans.filter((one) => one.parentId === spanId);

async function stopped(service: Drydock): Promise<{ ms: number; stderr: string }> {
  const from = performance.now();
  const { code, stderr } = await service.end();
  expect(code).toBe(0);
  return { ms: performance.now() - from, stderr };
}

test('a trace goes from the request to its statements, servers and models, and holds no secret', async () => {
  const collector = await collectorForTest();
  const { service, ask } = await serving(collector);
  const project = `/projects/${(await ask('/projects')).items[0].id}`;
  const server = await ask(`${project}/servers`, {
    name: 'echo',
    url: target.url(),
    headers: { 'x-secret': secrets.header },
  });
  await ask(`${project}/servers/${server.id}/tools/call?x=${secrets.query}`, {
    toolName: 'echo',
    parameters: { way: secrets.argument },
  });
  const { suiteId } = await ask(`${project}/eval-suites`, {
    name: 'suite',
    model: 'scripted/model',
    serverIds: [server.id],
    tests: [
      {
        title: 'Echoes',
        steps: [
          { id: 'ask', kind: 'prompt', prompt: secrets.prompt },
          { id: 'check', kind: 'assert', assertion: { type: 'noToolErrors' } },
        ],
      },
    ],
  });
  const { runId } = await ask(`${project}/eval-runs`, { suiteId });
  // Read to the end: the stream ends when the run is decided.
  await ask(`${project}/eval-runs/${runId}/events`);
  await ask('/server-connections', { url: target.url('localhost') });
  const shown = metricNames(await ask('/../../metrics'));
  // The service exports the last telemetry when it stops.
  await stopped(service);

  const { spans } = collector;
  const request = spans.find(({ attributes }) => attributes['drydock.operation'] === 'callTool') as SeenSpan;
  expect(request).toMatchObject({
    name: 'POST /api/v1/projects/{projectId}/servers/{serverId}/tools/call',
    traceId: caller.trace,
    parentId: caller.span,
    attributes: {
      'http.response.status_code': 200,
      'drydock.organization.id': expect.stringMatching(/^org_/),
      'drydock.request.id': expect.stringMatching(/^req_/),
    },
  });
  const inside = childrenOf(spans, request);
  expect(inside.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['callers.key-on-id-and-server', 'mcp connect', 'mcp tools/call']),
  );
  expect(inside.find(({ name }) => name === 'mcp tools/call')?.attributes).toMatchObject({
    'mcp.method.name': 'tools/call',
    'drydock.server.id': server.id,
  });

  const trial = spans.find(({ name }) => name === 'job trial') as SeenSpan;
  expect(trial.attributes).toMatchObject({ 'drydock.run.id': runId, 'drydock.job.attempt': 1 });
  expect(trial.parentId).toBe('');
  const chats = childrenOf(spans, trial).filter(({ name }) => name === 'chat scripted-1');
  expect(chats).toHaveLength(2);
  expect(chats[0]?.attributes).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': 'scripted-1',
    'gen_ai.usage.input_tokens': expect.any(Number),
    'gen_ai.usage.output_tokens': expect.any(Number),
  });
  expect(childrenOf(spans, trial).map(({ name }) => name)).toContain('mcp tools/call');
  const job = spans.find(({ name }) => name === 'job advance-server-connection') as SeenSpan;
  expect(job.links).toEqual([caller.trace]);
  expect(job.traceId).not.toBe(caller.trace);

  expect(collector.metrics).toEqual(shown);
  expect(collector.requests[0]).toEqual({
    type: 'application/x-protobuf',
    authorization: `Bearer ${secrets.collector}`,
  });
  for (const secret of Object.values(secrets)) expect(collector.raw + service.stderr).not.toContain(secret);
  // Neither the server under test nor the provider receives the trace context.
  expect([...target.seen]).toEqual(['nothing at all']);
  expect(provider.requests.filter(({ headers }) => headers['traceparent'] !== undefined)).toEqual([]);
});

test('JSON is spoken when asked for, and a trace of our own begun when callers are not to be followed', async () => {
  const collector = await collectorForTest();
  const { service, ask } = await serving(collector, {
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_PROPAGATORS: 'none',
    OTEL_SERVICE_NAME: 'harbour',
  });
  await ask('/me');
  const shown = metricNames(await ask('/../../metrics'));
  await stopped(service);
  expect(collector.requests[0]?.type).toBe('application/json');
  expect(collector.raw).toContain('"harbour"');
  expect(collector.metrics).toEqual(shown);
  const request = collector.spans.find(({ name }) => name === 'GET /api/v1/me') as SeenSpan;
  expect(request).toMatchObject({ parentId: '' });
  expect(request.traceId).not.toBe(caller.trace);
  expect(collector.spans.map(({ name }) => name).join()).not.toMatch(/metrics|readyz/);
});

test('a collector that fails or hangs is asked seldom, told of once, and holds up neither requests nor the end', async () => {
  const collector = await collectorForTest();
  collector.status = 503;
  const { service, ask } = await serving(collector, {
    OTEL_BSP_MAX_QUEUE_SIZE: '100',
    OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '50',
    OTEL_EXPORTER_OTLP_TIMEOUT: '500',
    OTEL_METRICS_EXPORTER: 'none',
  });
  const many = async () => {
    for (let nth = 0; nth < 120; nth++) await ask('/me');
  };
  const from = performance.now();
  await many();
  await expect.poll(() => service.stderr).toContain('Export to the collector failed');
  const refused = collector.requests.length;
  // One export at a time, each with a timeout of at least half a second: not one export per request.
  expect(refused).toBeLessThan(5 + (performance.now() - from) / 200);
  collector.status = 0;
  await many();
  const { ms, stderr } = await stopped(service);
  expect(ms).toBeLessThan(15_000);
  const warnings = stderr.split('\n').filter((line) => line.includes('Export to the collector failed'));
  expect(warnings).toHaveLength(1);
  expect(JSON.parse(warnings[0] as string)).toMatchObject({ level: 'warn', signal: 'traces' });
  expect(collector.requests.length - refused).toBeLessThan(40);
});

test('settings that cannot be used are named, and nothing is sent without an endpoint', async () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };
  const bad: Record<string, string>[] = [
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317' },
    { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    { OTEL_EXPORTER_OTLP_HEADERS: 'Bearer-tell-nobody' },
    { OTEL_TRACES_SAMPLER: 'sometimes' },
    { OTEL_TRACES_SAMPLER_ARG: '2' },
    { OTEL_METRIC_EXPORT_INTERVAL: 'often' },
    { OTEL_PROPAGATORS: 'b3' },
  ];
  for (const env of bad) {
    const read = () => telemetrySettings({ ...endpoint, ...env });
    expect(read).toThrow(new RegExp(`^${Object.keys(env)[0]} is not valid: `));
    expect(read).not.toThrow(/tell-nobody/);
  }
  const nothing: Record<string, string>[] = [
    { OTEL_SERVICE_NAME: 'harbour', OTEL_TRACES_SAMPLER: 'sometimes' },
    { ...endpoint, OTEL_SDK_DISABLED: 'TRUE' },
    { ...endpoint, OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: '' },
  ];
  for (const env of nothing) expect(telemetrySettings(env)).toBeUndefined();
  expect(telemetrySettings({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:1/x' })).toMatchObject({
    traces: 'http/protobuf',
    metrics: undefined,
  });
  const { code, stderr } = await home.run(['serve'], {
    OTEL_SDK_DISABLED: '',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'nowhere',
  });
  expect([code, stderr]).toEqual([2, expect.stringContaining('OTEL_EXPORTER_OTLP_ENDPOINT is not valid')]);
});
