// @module-tag long
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Database } from '../src/platform/database/database.ts';
import { newId } from '../src/platform/ids.ts';
import { serveTools } from './support/conformance.ts';
import { type SavedServer, saveServer } from './support/live.ts';
import { dispose, startForTest, startTestService, type TestService } from './support/service.ts';
import { answerLegacy, type Exchange, sendError, sendResult } from './targets/legacy.ts';
import { listen, readRpc } from './targets/listen.ts';
import { everythingStdio, startEverything } from './targets/processes.ts';

let service: TestService;
let project: string;

beforeAll(async () => {
  service = await startTestService();
  project = await service.defaultProject();
});
afterAll(() => dispose(service));

interface Run {
  id: string;
  status: string;
  outcome: string | null;
  score: number | null;
  reason: string | null;
  suites: {
    suiteKind: string;
    status: string;
    outcome: string;
    incompleteReason?: string;
    [field: string]: unknown;
  }[];
}

const start = (saved: SavedServer, body: object = {}) => saved.post('conformance-runs', body);
const path = (runId: string): string => `/projects/${project}/conformance-runs/${runId}`;

async function ended(runId: string, within = 60_000): Promise<Run> {
  const until = Date.now() + within;
  for (;;) {
    const { body } = await service.get(path(runId));
    if (body.completedAt !== null) return body as Run;
    if (Date.now() > until) throw new Error(`Still ${JSON.stringify(body)}`);
    await delay(100);
  }
}

async function runOf(saved: SavedServer, body: object = {}): Promise<Run> {
  const { status, body: begun, text } = await start(saved, body);
  if (status !== 202) throw new Error(text);
  return ended(begun.runId);
}

interface Check {
  id: string;
  groupId: string;
  status: string;
  error: string | null;
  skipReason: string | null;
  pending: boolean;
}

async function failing(runId: string): Promise<Check[]> {
  return (await service.get(`${path(runId)}/report`)).body.checks as Check[];
}

/** A server written by hand; `answer` decides, and leaves to the plain one what it does not care about. */
async function serve(answer: (exchange: Exchange) => boolean | Promise<boolean>): Promise<string> {
  const target = await listen(async (request, response) => {
    const { rpc } = await readRpc(request);
    const exchange = { request, response, rpc, path: request.url ?? '', origin: '' };
    if (!(await answer(exchange))) answerLegacy(exchange);
  });
  onTestFinished(() => target.stop());
  return `http://127.0.0.1:${target.port}/mcp`;
}

/** Whether it is the suite that asks, and not we ourselves. */
const bySuite = ({ request }: Exchange): boolean => request.headers['user-agent'] !== undefined;

/** Processes of the suite that this one has started. */
function suiteProcesses(): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8');
      const parent = /^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${name}/status`, 'utf8'))?.[1];
      return command.includes('suite.cjs') && Number(parent) === process.pid ? [Number(name)] : [];
    } catch {
      // The run has ended meanwhile.
      return [];
    }
  });
}

describe('real servers', () => {
  test('server-everything, of the era before: what it lets through is found, the rest passes', {
    tags: ['long'],
  }, async () => {
    const everything = await startEverything('streamableHttp');
    onTestFinished(() => everything.stop());
    const run = await runOf(await saveServer(service, { url: everything.url }));
    expect(run).toMatchObject({
      status: 'completed',
      outcome: 'failed',
      suites: [
        {
          suiteKind: 'protocol',
          outcome: 'failed',
          profileId: '2025-11-25',
          passed: 17,
          failed: 1,
          score: 94.4,
        },
        { suiteKind: 'apps', outcome: 'passed', score: null, skipped: 1 },
        { suiteKind: 'tasks', outcome: 'passed', score: 100, failed: 0 },
      ],
    });
    expect(await failing(run.id)).toMatchObject([
      { groupId: 'dns-rebinding-protection', id: 'localhost-host-rebinding-rejected', status: 'failed' },
    ]);
  });

  test('the demo server, of the present era, follows all that can be asked', async () => {
    const run = await runOf(await saveServer(service, { url: await service.demoUrl() }));
    expect(run).toMatchObject({
      status: 'completed',
      outcome: 'passed',
      score: 100,
      suites: [{ profileId: '2026-07-28', passed: 58, pending: 0 }, {}, { score: null, skipped: 1 }],
    });
    expect(await failing(run.id)).toEqual([]);
  });

  test('interfaces of tools that cannot be read are found', async () => {
    const run = await runOf(await saveServer(service, { url: await service.widgetUrl() }), {
      suites: ['apps'],
    });
    expect(run).toMatchObject({ outcome: 'failed', suites: [{ suiteKind: 'apps', failed: 2 }] });
    expect(await failing(run.id)).toMatchObject([{ id: 'apps-readable' }, { id: 'apps-readable' }]);
  });
});

describe('servers that are wrong', () => {
  test('known mistakes are found, what is not declared is skipped, and secrets are not in the report', async () => {
    const secret = 'tell-nobody-4711';
    let called = 0;
    const url = await serve((exchange) => {
      const { rpc, request } = exchange;
      if (rpc?.method === 'tools/call') called++;
      if (rpc?.method === 'ping' && bySuite(exchange)) {
        sendError(exchange, { code: -32603, message: `No ping with ${String(request.headers['x-token'])}` });
        return true;
      }
      if (rpc?.method !== 'tools/list') return false;
      sendResult(exchange, { tools: [{ name: 'bad name', inputSchema: 'none' }] });
      return true;
    });
    const run = await runOf(await saveServer(service, { url, headers: { 'x-token': secret } }), {
      suites: ['protocol'],
    });
    expect(run).toMatchObject({ status: 'completed', outcome: 'failed' });
    const checks = await failing(run.id);
    const failed = checks.filter(({ pending }) => !pending).map(({ groupId, id }) => `${groupId} ${id}`);
    expect(failed).toContain('ping ping');
    expect(failed).toContain('tools-list tools-list');
    expect(failed.some((one) => one.startsWith('server-initialize'))).toBe(false);
    expect(checks.find(({ id }) => id === 'ping')?.error).toContain('No ping with [hidden]');
    const { rows } = await (service.db as Database).pool.query(
      'select body from conformance_reports where run_id = $1',
      [run.id],
    );
    const report = JSON.parse(rows[0].body) as {
      groups: { id: string; cases: { status: string; skipReason?: string }[] }[];
    };
    for (const id of ['resources-list', 'prompts-list', 'logging-set-level'])
      expect(report.groups.find((group) => group.id === id)?.cases).toMatchObject([
        { status: 'skipped', skipReason: expect.stringContaining('does not declare') },
      ]);
    const all = `${rows[0].body}${service.logs.join('')}`;
    expect(all).not.toContain(secret);
    expect(called).toBe(0);
  });

  test('one that answers, but not as an MCP server, fails at the handshake', async () => {
    const url = await serve(({ response }) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>');
      return true;
    });
    const run = await runOf(await saveServer(service, { url }), { suites: ['protocol'] });
    expect(run).toMatchObject({ outcome: 'failed' });
    expect((await failing(run.id))[0]).toMatchObject({ groupId: 'server-initialize', status: 'failed' });
  });

  test('one that nobody listens at, and one that never answers, leave the run incomplete', async () => {
    const silent = await serve(() => new Promise(() => {}));
    const gone = await saveServer(service, { url: 'http://127.0.0.1:9/mcp' });
    for (const saved of [gone, await saveServer(service, { url: silent, timeout: 1_000 })]) {
      const run = await runOf(saved);
      expect(run).toMatchObject({ status: 'completed', outcome: 'incomplete', score: null });
      for (const suite of run.suites) expect(suite.incompleteReason).toMatch(/./);
    }
  });
});

describe('servers that mean harm', () => {
  test('a redirect leads nowhere: neither we nor the suite follow it', async () => {
    let visits = 0;
    const counted = await serve(() => ++visits > 0);
    const url = await serve((exchange) => {
      if (!bySuite(exchange)) return false;
      exchange.response.writeHead(307, { location: counted }).end();
      return true;
    });
    const run = await runOf(await saveServer(service, { url }), { suites: ['protocol'] });
    expect(run).toMatchObject({ status: 'completed', outcome: 'failed' });
    expect(visits).toBe(0);
  });

  test('a stream without end, and answers of many megabytes, are cut off', {
    tags: ['long'],
    timeout: 200_000,
  }, async () => {
    const chunk = `event: message\ndata: {"jsonrpc":"2.0","method":"notifications/message","params":{"data":"${'x'.repeat(60_000)}"}}\n\n`;
    let sent = 0;
    const url = await serve((exchange) => {
      if (!bySuite(exchange) || exchange.rpc?.method === 'initialize') return false;
      const { response } = exchange;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const more = (): void => {
        while (!response.destroyed) {
          sent += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', more);
        }
      };
      more();
      return true;
    });
    const run = await runOf(await saveServer(service, { url }), { suites: ['protocol'] });
    expect(run.status).toBe('completed');
    expect(run.outcome).not.toBe('passed');
    expect(sent).toBeLessThan(128 * 1024 * 1024);
  });

  test('a tool is not called unless it says that it only reads', {
    tags: ['long'],
    timeout: 200_000,
  }, async () => {
    for (const readOnly of [false, true]) {
      const target = await serveTools(readOnly);
      onTestFinished(() => target.stop());
      const run = await runOf(await saveServer(service, { url: target.url }), { suites: ['protocol'] });
      expect(run.suites[0]).toMatchObject({ profileId: '2026-07-28' });
      expect(target.calls() > 0).toBe(readOnly);
      expect((await failing(run.id)).filter(({ groupId }) => groupId === 'http-header-validation')).toEqual(
        [],
      );
    }
  });
});

describe('a run that is under way', () => {
  test('is cancelled: the process is gone at once, what was reported stays, and nothing more comes', async () => {
    const url = await serve((exchange) => (bySuite(exchange) ? new Promise(() => {}) : false));
    const { body } = await start(await saveServer(service, { url }), { suites: ['apps', 'protocol'] });
    await expect.poll(suiteProcesses, { timeout: 30_000 }).toHaveLength(1);
    const [pid] = suiteProcesses();
    const work = readlinkSync(`/proc/${pid}/cwd`);
    expect(work).toContain('drydock-conformance-');
    expect((await service.get(path(body.runId))).body).toMatchObject({
      status: 'running',
      suites: [
        { suiteKind: 'apps', status: 'completed' },
        { suiteKind: 'protocol', status: 'running' },
      ],
    });
    const cancelled = await service.post(`${path(body.runId)}/cancel`);
    expect(cancelled).toMatchObject({
      status: 200,
      body: { status: 'cancelled', outcome: 'incomplete', reason: 'cancelled' },
    });
    await expect.poll(suiteProcesses, { timeout: 5_000 }).not.toContain(pid);
    expect(await service.post(`${path(body.runId)}/cancel`)).toMatchObject({
      status: 409,
      body: { details: { reason: 'RUN_OVER' } },
    });
    expect((await service.get(path(body.runId))).body).toEqual(cancelled.body);
    await expect.poll(() => existsSync(work)).toBe(false);
  });

  test('ends with the service, and another process goes on with it', { tags: ['long'] }, async () => {
    const url = await serve((exchange) => (bySuite(exchange) ? new Promise(() => {}) : false));
    const other = await startTestService();
    const saved = await saveServer(other, { url });
    const { body } = await start(saved, { suites: ['protocol'] });
    await expect.poll(suiteProcesses, { timeout: 30_000 }).toHaveLength(1);
    await other.stop();
    expect(suiteProcesses()).toEqual([]);
    const again = await startForTest({
      database: other.database,
      dataDir: other.running.services.config.dataDir,
    });
    const [row] = (
      await (again.db as Database).pool.query('select status from conformance_runs where id = $1', [
        body.runId,
      ])
    ).rows;
    expect(row.status).toBe('running');
    await expect.poll(suiteProcesses, { timeout: 30_000 }).toHaveLength(1);
  });

  test('waits while two others of the organization run', async () => {
    const saved = await saveServer(service, { url: await service.demoUrl() });
    const { pool } = service.db as Database;
    const others = ['a', 'b'].map(() => newId('cfr'));
    for (const id of others)
      await pool.query(
        `insert into conformance_runs (id, organization_id, project_id, hosted, source, target, requested_suites, started_by, status)
         select $1, organization_id, id, true, 'api', '{"kind":"server"}', '{apps}', 'somebody', 'running' from projects where id = $2`,
        [id, project],
      );
    const { body } = await start(saved, { suites: ['tasks'] });
    await delay(1_500);
    expect((await service.get(path(body.runId))).body.status).toBe('pending');
    await pool.query(`update conformance_runs set status = 'failed' where id = any($1)`, [others]);
    expect(await ended(body.runId)).toMatchObject({ status: 'completed' });
  });
});

describe('what is not begun', () => {
  test('the same key for the same server is one run; without a key each is a run', async () => {
    const [one, other] = [await service.demoUrl(), await service.demoUrl()];
    const [saved, second] = [
      await saveServer(service, { url: one }),
      await saveServer(service, { url: other }),
    ];
    const body = { suites: ['tasks'], idempotencyKey: newId('key') };
    const answers = await Promise.all(Array.from({ length: 5 }, () => start(saved, body)));
    expect(new Set(answers.map((answer) => answer.body.runId)).size).toBe(1);
    expect(answers.filter((answer) => !answer.body.deduped)).toHaveLength(1);
    expect((await start(second, body)).body).toMatchObject({ deduped: false, serverId: second.id });
    const header = { headers: { 'idempotency-key': body.idempotencyKey } };
    const again = await service.post(`${saved.path}/conformance-runs`, { suites: ['tasks'] }, header);
    expect(again.body).toMatchObject({ deduped: true, runId: answers[0]?.body.runId });
    const run = (await service.get(path(answers[0]?.body.runId))).body;
    expect(run.externalRunId).toBe(`api:${project}:${saved.id}:${body.idempotencyKey}`);
    const keyless = [await start(saved, { suites: ['tasks'] }), await start(saved, { suites: ['tasks'] })];
    expect(keyless[0]?.body.runId).not.toBe(keyless[1]?.body.runId);
  });

  test('a request that cannot be graded is refused', async () => {
    const saved = await saveServer(service, { url: await service.demoUrl() });
    const stdio = await saveServer(service, { ...everythingStdio() });
    const nowhere = await saveServer(service, { url: 'https://nowhere.example/mcp' });
    const refused = { status: 400, body: { code: 'VALIDATION_ERROR' } };
    expect(await start(stdio)).toMatchObject({
      ...refused,
      body: { message: expect.stringContaining('require an HTTP server') },
    });
    for (const body of [
      { suites: ['oauth'] },
      { suites: [] },
      { suits: ['apps'] },
      { protocolVersion: '1999' },
      { engineVersion: '0' },
    ])
      expect(await start(saved, body)).toMatchObject(refused);
    expect(await start(nowhere)).toMatchObject({
      status: 502,
      body: { code: 'SERVER_UNREACHABLE', details: { cause: 'dns' } },
    });
  });

  test('an address that the guard refuses is told at once', async () => {
    const guarded = await startForTest({
      env: { DRYDOCK_ALLOWED_NETWORKS: '127.0.0.1/32' },
      outbound: { resolve: async () => [{ address: '127.0.0.2', family: 4 }] },
    });
    const saved = await saveServer(guarded, { url: 'https://inside.example/mcp' });
    expect(await start(saved)).toMatchObject({ status: 502, body: { details: { code: 'URL_NOT_ALLOWED' } } });
  });

  test('an organization begins 200 a day at most', async () => {
    const { key } = await service.stranger();
    const saved = await saveServer(service, { url: await service.demoUrl() }, key);
    const at = await service.defaultProject(key);
    await (service.db as Database).pool.query(
      `insert into conformance_runs (id, organization_id, project_id, hosted, source, target, requested_suites, started_by, status)
       select 'cfr_' || n || $1, organization_id, id, true, 'api', '{"kind":"server"}', '{apps}', 'somebody', 'completed'
       from projects, generate_series(1, 200) n where id = $1`,
      [at],
    );
    expect(await start(saved)).toMatchObject({ status: 429, body: { details: { limit: 200 } } });
  });
});
