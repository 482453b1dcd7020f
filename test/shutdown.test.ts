// @module-tag long
import { once } from 'node:events';
import { join } from 'node:path';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { type Drydock, databaseHome, databasePid, place } from './support/process.ts';

const key = `sk_${'drain'.repeat(8)}`;
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };

async function send(service: Drydock, method: string, path: string, body?: unknown): Promise<Response> {
  return fetch(`${service.baseUrl}${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

/** A request that waits in the database until it is let go. */
async function heldRequest(service: Drydock, dataDir: string) {
  const made = (await (await send(service, 'POST', '/projects', { name: 'Held' })).json()) as { id: string };
  const blocker = new pg.Client({
    host: join(databaseHome(dataDir), 'run'),
    user: 'drydock',
    database: 'drydock',
  });
  blocker.on('error', () => {});
  await blocker.connect();
  onTestFinished(() => blocker.end());
  await blocker.query('begin');
  await blocker.query('select 1 from projects where id = $1 for update', [made.id]);
  const answer = send(service, 'PATCH', `/projects/${made.id}`, { name: 'Changed' });
  answer.catch(() => {});
  await expect
    .poll(
      async () =>
        (
          await blocker.query(
            "select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock'",
          )
        ).rows[0].n,
    )
    .toBe(1);
  return { answer, release: () => blocker.query('rollback') };
}

/** Sends SIGTERM and waits until no new request is taken. */
async function beginToEnd(service: Drydock): Promise<void> {
  service.child.kill('SIGTERM');
  const ask = () =>
    send(service, 'GET', '/me').then(
      () => 'answered',
      () => 'refused',
    );
  await expect.poll(ask).toBe('refused');
}

test('SIGTERM lets the request under way finish, takes no new ones, and stops the database last', async () => {
  const here = await place();
  const service = await here.serve({ DRYDOCK_BOOTSTRAP_KEY: key });
  const { answer, release } = await heldRequest(service, here.dataDir);
  const ended = once(service.child, 'exit');
  await beginToEnd(service);
  expect(service.child.exitCode).toBeNull();
  await release();
  const response = await answer;
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ name: 'Changed' });
  expect(await ended).toEqual([0, null]);
  expect(await databasePid(here.dataDir)).toBeUndefined();
});

test('with a notice it still takes requests after SIGTERM, and its readiness says so as a balancer wants it', async () => {
  const here = await place();
  const service = await here.serve({ DRYDOCK_BOOTSTRAP_KEY: key, DRYDOCK_SHUTDOWN_NOTICE: '4' });
  const { origin } = new URL(service.baseUrl);
  const readiness = async (query: string) => (await fetch(`${origin}/readyz${query}`)).status;
  expect(await readiness('?draining=404')).toBe(200);
  service.child.kill('SIGTERM');
  await expect.poll(() => readiness('')).toBe(503);
  expect(await readiness('?draining=404')).toBe(404);
  expect((await send(service, 'POST', '/projects', { name: 'Late' })).status).toBe(201);
  expect(await service.outcome()).toMatchObject({ code: 0 });
});

test('a request that does not finish holds up the end only for the time allowed', {
  tags: ['long'],
}, async () => {
  const here = await place();
  const service = await here.serve({ DRYDOCK_BOOTSTRAP_KEY: key, DRYDOCK_SHUTDOWN_TIMEOUT: '3' });
  await heldRequest(service, here.dataDir);
  const began = Date.now();
  await service.end('SIGTERM');
  expect(Date.now() - began).toBeLessThan(10_000);
  const again = await here.serve();
  expect((await send(again, 'GET', '/me')).status).toBe(200);
  await again.end();
});

test('a second signal ends at once', { tags: ['long'] }, async () => {
  const here = await place();
  const service = await here.serve({ DRYDOCK_BOOTSTRAP_KEY: key });
  await heldRequest(service, here.dataDir);
  await beginToEnd(service);
  expect((await service.end('SIGTERM')).code).toBe(1);
});
