// @module-tag long
import { expect, onTestFinished, test } from 'vitest';
import { migrate } from '../src/platform/database/migrate.ts';
import { type Migration, migrations } from '../src/platform/database/migrations/index.ts';
import { version } from '../src/platform/version.ts';
import { createDatabase } from './support/database.ts';
import { commandFor, Drydock } from './support/process.ts';
import { startForTest, startTestService } from './support/service.ts';
import { listen } from './targets/listen.ts';

const address = /Health and metrics: (\S+)/;

const running = "select count(*)::int as n from jobs where state = 'running'";

test('a worker of its own answers for its health and its jobs, and gives back what it cannot finish', async () => {
  const service = await startForTest({ worker: false });
  const client = await service.database.connect();
  onTestFinished(() => client.end());
  const env = {
    DRYDOCK_DATABASE_URL: service.database.url,
    DRYDOCK_DATA_DIR: service.running.services.config.dataDir,
    DRYDOCK_WORKER_PORT: '0',
    DRYDOCK_SHUTDOWN_TIMEOUT: '6',
  };
  const worker = await new Drydock(['worker'], env).said(address);
  onTestFinished(async () => void (await worker.end('SIGKILL')));
  const origin = address.exec(worker.stdout)?.[1] as string;
  const ask = async (path: string) => {
    const response = await fetch(origin + path);
    return { status: response.status, text: await response.text() };
  };
  expect(await ask('/healthz')).toEqual({ status: 200, text: '{"status":"ok"}' });
  expect(await ask('/readyz')).toEqual({ status: 200, text: '{"status":"ready"}' });
  expect((await ask('/api/v1/me')).status).toBe(404);

  // As those see it who upgrade or operate the installation.
  const command = commandFor(service);
  const { inUse } = JSON.parse((await command('upgrade', '--check', '--json')).stdout);
  expect(inUse).toMatchObject({ services: 1, workers: 1, versions: [version] });
  expect((await command('doctor')).stdout).toContain('1 service and 1 worker seen');
  const contracting: Migration = { name: '9999-contracting', sql: 'select 1', contracts: '99.0.0' };
  await expect(migrate(client, [...migrations, contracting])).rejects.toThrow(`worker ${version}`);

  const { body } = await service.post('/server-connections', { url: await service.demoUrl() });
  const state = async () =>
    (await service.get(`/server-connections/${body.connectionRequestId}`)).body.status;
  await expect.poll(state).toBe('ready');
  const metrics = (await ask('/metrics')).text;
  const kind = 'kind="advance-server-connection"';
  for (const line of [
    `drydock_job_events_total{${kind},event="claimed"} 1`,
    `drydock_job_events_total{${kind},event="finished"} 1`,
    `drydock_job_events_total{${kind},event="lost"} 0`,
    `drydock_jobs_running{${kind}} 0`,
    `drydock_jobs_waiting{${kind}} 0`,
    `drydock_jobs_oldest_due_seconds{${kind}} 0`,
    'drydock_database_connections{state="waiting"} 0',
  ])
    expect(metrics.split('\n')).toContain(line);
  // The service does no jobs, so it says nothing about them.
  const others = await (await fetch(`${service.origin}/metrics`)).text();
  expect(others).not.toContain('drydock_job');

  const deaf = await listen(async () => {});
  onTestFinished(deaf.stop);
  await service.post('/server-connections', { url: `http://127.0.0.1:${deaf.port}/mcp` });
  await expect.poll(async () => (await client.query(running)).rows[0].n).toBe(1);
  worker.child.kill('SIGTERM');
  await expect.poll(() => ask('/readyz')).toEqual({ status: 503, text: '{"status":"draining"}' });
  expect((await ask('/metrics')).text).toContain(`drydock_jobs_running{${kind}} 1\n`);
  expect((await worker.outcome()).code).toBe(0);
  expect((await client.query('select role from replicas')).rows).toEqual([{ role: 'service' }]);
  const { rows } = await client.query(
    "select state, attempts from jobs where kind = 'advance-server-connection' order by id",
  );
  expect(rows).toEqual([
    { state: 'done', attempts: 1 },
    { state: 'waiting', attempts: 0 },
  ]);
});

test('a connection request whose job was given up has failed, and can be tried again', async () => {
  const idle = await startForTest({ worker: false });
  const client = await idle.database.connect();
  onTestFinished(() => client.end());
  const { body } = await idle.post('/server-connections', { url: await idle.demoUrl() });
  const request = `/server-connections/${body.connectionRequestId}`;
  // As if each attempt had ended with its process.
  await client.query("update jobs set attempts = 5, state = 'running', lease_token = 'gone', due_at = now()");
  const { dataDir } = idle.running.services.config;
  const busy = await startTestService({ database: idle.database, dataDir });
  onTestFinished(() => busy.stop());
  const until = async (status: string) => {
    const now = async () => (await idle.get(request)).body.status;
    await expect.poll(now).toBe(status);
  };
  await until('failed');
  expect((await idle.get(request)).body.error).toEqual({
    code: 'INTERNAL_ERROR',
    message: expect.stringContaining('Retry with retry-validation'),
    retryable: true,
  });
  expect((await idle.post(`${request}/retry-validation`)).body.status).toBe('discovering');
  await until('ready');
});

test('a service that does jobs counts them too', async () => {
  const service = await startForTest();
  const read = async () => (await fetch(`${service.origin}/metrics`)).text();
  await expect.poll(read).toMatch(/drydock_job_events_total\{kind="prune",event="finished"\} 1\n/);
});

test('a port that is taken is said with the name of its setting', async () => {
  const database = await createDatabase();
  onTestFinished(() => database.drop());
  const service = await startForTest();
  const env = {
    DRYDOCK_DATABASE_URL: database.url,
    DRYDOCK_MASTER_KEY: 'ab'.repeat(32),
    DRYDOCK_WORKER_PORT: new URL(service.origin).port,
  };
  const { code, stderr } = await new Drydock(['worker'], env).outcome();
  expect(code).toBe(2);
  expect(stderr).toContain('Set DRYDOCK_WORKER_PORT to another one, or to 0 for any');
});
