// @module-tag long
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { deferred } from './support/jobs.ts';
import { saveServer } from './support/live.ts';
import { within } from './support/path-parameters.ts';
import { declared, ended, saveListable, start, startWithListable } from './support/readiness.ts';
import { dispose, type TestService } from './support/service.ts';
import type { Listable } from './targets/listable.ts';

let service: TestService;
let target: Listable;
let project: string;
beforeAll(async () => {
  ({ service, target } = await startWithListable());
  project = `/projects/${await service.defaultProject()}`;
});
afterAll(async () => {
  await dispose(service);
  await target.stop();
});
beforeEach(() => {
  target.behaviour = target.good;
});

/** Has the server stand still at a request until it is let go on. */
function holding(method: string) {
  const reached = deferred();
  const held: ServerResponse[] = [];
  target.behaviour = {
    ...target.good,
    methods: {
      [method]: (_rpc, response) => {
        held.push(response);
        reached.resolve();
      },
    },
  };
  return { reached: reached.promise, held };
}

describe('a request', () => {
  test('for a command is refused', async () => {
    const server = await saveServer(service, { command: 'true' });
    const answer = await start(service, server, 'claude');
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR', details: { reason: 'NOT_HTTP' } },
    });
  });

  test('with a key is answered with the run that it has started, by body or by header', async () => {
    const server = await saveListable(service, target.url);
    const first = await start(service, server, 'claude', { idempotencyKey: 'once' });
    expect(first).toMatchObject({
      status: 202,
      body: { status: 'pending', deduped: false, readinessKind: 'claude' },
    });
    const again = await start(service, server, 'claude', { idempotencyKey: 'once' });
    expect(again.body).toMatchObject({ runId: first.body.runId, deduped: true });
    const byHeader = await service.post(
      `${server.path}/readiness-runs/claude`,
      {},
      { headers: { 'idempotency-key': 'once' } },
    );
    expect(byHeader.body).toMatchObject({ runId: first.body.runId, deduped: true });
    // Another directory, or another server, is something else.
    const openai = await start(service, server, 'openai', { idempotencyKey: 'once' });
    expect(openai.body).toMatchObject({ deduped: false });
    const changed = await start(service, server, 'claude', {
      idempotencyKey: 'once',
      allowSideEffects: true,
    });
    expect(changed).toMatchObject({ status: 409, body: { details: { reason: 'IDEMPOTENCY_KEY_REUSED' } } });
    for (const id of [first.body.runId, openai.body.runId]) await ended(service, id);
  });

  test('twice at once with one key starts one run', async () => {
    const server = await saveListable(service, target.url);
    const all = await Promise.all(
      [0, 1, 2].map(() => start(service, server, 'claude', { idempotencyKey: 'k' })),
    );
    expect(new Set(all.map(({ body }) => body.runId)).size).toBe(1);
    expect(all.filter(({ body }) => !body.deduped)).toHaveLength(1);
    await ended(service, all[0]?.body.runId);
  });

  test('is refused while four runs are under way, and by the two hundredth of a day', async () => {
    const { held } = holding('tools/list');
    const server = await saveListable(service, target.url);
    const runs = await Promise.all([0, 1, 2, 3].map(() => start(service, server, 'claude')));
    const fifth = await start(service, server, 'claude');
    expect(fifth).toMatchObject({
      status: 429,
      body: { details: { reason: 'CONCURRENT_RUN_LIMIT', limit: 4 } },
    });
    for (const { body } of runs) await service.post(`${project}/readiness-runs/${body.runId}/cancel`);
    for (const response of held) response.destroy();
    await within(
      service,
      `insert into readiness_runs (id, organization_id, project_id, server_id, server_url, kind, status,
         policy_snapshot_date, engine_version, sdk_version, include_llm_observations, llm_observations, options, started_by)
       select 'rdy_filler' || n, p.organization_id, p.id, 's', 'u', 'claude', 'cancelled', '', '', '', false, '{}', '{}', ''
       from projects p, generate_series(1, 200) n where p.id = $1`,
      [project.split('/').at(-1)],
    );
    const late = await start(service, server, 'claude');
    expect(late).toMatchObject({ status: 429, body: { details: { reason: 'DAILY_RUN_LIMIT' } } });
    await within(service, `delete from readiness_runs where id like 'rdy_filler%'`, []);
  });
});

describe('a run', () => {
  test('is cancelled while it talks to the server, which it then leaves alone', async () => {
    const { reached, held } = holding('tools/list');
    const server = await saveListable(service, target.url);
    const { body } = await start(service, server, 'claude', { includeLlmObservations: true });
    await reached;
    const path = `${project}/readiness-runs/${body.runId}`;
    expect((await service.get(path)).body).toMatchObject({
      status: 'running',
      overallStatus: null,
      attemptCount: 1,
    });
    expect(await service.get(`${path}/report`)).toMatchObject({ status: 404 });
    const gone = new Promise((resolve) => held[0]?.once('close', resolve));
    expect(await service.post(`${path}/cancel`)).toMatchObject({
      status: 200,
      body: { runId: body.runId, status: 'cancelled' },
    });
    await gone;
    expect((await service.get(path)).body).toMatchObject({
      status: 'cancelled',
      terminalReason: 'cancelled',
      llmObservations: { reason: 'cancelled' },
      hasReport: false,
      reportUrl: null,
    });
    expect(await service.post(`${path}/cancel`)).toMatchObject({
      status: 409,
      body: { details: { code: 'RUN_OVER' } },
    });
  });

  test('goes on after whoever did it died', async () => {
    const { reached, held } = holding('tools/list');
    const server = await saveListable(service, target.url);
    const { body } = await start(service, server, 'claude', { declared });
    await reached;
    target.behaviour = target.good;
    await within(
      service,
      `update jobs set due_at = now() - interval '1 ms', lease_token = 'gone' where payload ->> 'runId' = $1`,
      [body.runId],
    );
    await within(service, `select pg_notify('drydock_jobs', 'assess-readiness')`, []);
    const run = await ended(service, body.runId);
    expect(run).toMatchObject({ status: 'completed', overallStatus: 'ready', attemptCount: 2 });
    for (const response of held) response.destroy();
  });

  test('of a server that was deleted meanwhile fails and says so', async () => {
    const { reached, held } = holding('initialize');
    const server = await saveListable(service, target.url);
    const first = await start(service, server, 'claude');
    await reached;
    const second = await start(service, server, 'claude');
    const third = await start(service, server, 'claude');
    await service.delete(server.path, { body: {} });
    for (const response of held) response.destroy();
    target.behaviour = target.good;
    const run = await ended(service, third.body.runId);
    expect(run).toMatchObject({ status: 'failed', terminalReason: 'not_found', overallStatus: null });
    for (const { body } of [first, second]) await ended(service, body.runId);
  });

  test('is listed by directory and server, the latest first', async () => {
    const server = await saveListable(service, target.url);
    const made: string[] = [];
    for (const kind of ['claude', 'openai', 'claude'] as const) {
      made.push((await start(service, server, kind)).body.runId);
      await ended(service, made.at(-1) as string);
    }
    const ids = async (query: string): Promise<string[]> =>
      (await service.get(`${project}/readiness-runs?serverId=${server.id}${query}`)).body.items.map(
        ({ id }: { id: string }) => id,
      );
    expect(await ids('')).toEqual(made.toReversed());
    expect(await ids('&readinessKind=openai')).toEqual([made[1]]);
    const page = (await service.get(`${project}/readiness-runs?serverId=${server.id}&limit=2`)).body;
    expect(page.items).toHaveLength(2);
    expect(await ids(`&limit=2&cursor=${page.nextCursor}`)).toEqual([made[0]]);
  });
});
