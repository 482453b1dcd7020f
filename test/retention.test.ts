import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setRetention } from '../src/domain/operator/retention.ts';
import { applyRetention } from '../src/domain/retention/apply.ts';
import { addParts, startOfMonth } from '../src/platform/database/partitions.ts';
import { newId } from '../src/platform/ids.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';

const day = 86_400_000;

let service: TestService;
let client: pg.Client;
let organizationId: string;

beforeAll(async () => {
  // Without a worker, whose retention job could run before that of the test.
  service = await startTestService({ worker: false });
  client = await service.database.connect();
  organizationId = (await service.get('/organizations')).body.items[0].id as string;
  // An organization without retention limits.
  await client.query(`insert into organizations (id, name) values ('org_keeper', 'Keeper')`);
});
afterAll(async () => {
  await client?.end();
  await dispose(service);
});

const applied = (now: number) =>
  applyRetention({ db: service.db, clock: () => now }, new AbortController().signal);

async function count(table: string, where = 'true'): Promise<number> {
  const { rows } = await client.query(`select count(*)::int as count from ${table} where ${where}`);
  return rows[0]?.count as number;
}

async function audit(organization: string, at: number): Promise<void> {
  await client.query(
    "insert into audit_events (id, organization_id, actor, action, target) values ($1, $2, 'a', 'old', 't')",
    [newId('aud', at), organization],
  );
}

test('an organization keeps what it says, another keeps everything', async () => {
  const now = Date.now();
  for (const age of [400, 300, 20]) {
    await audit(organizationId, now - age * day);
    await audit('org_keeper', now - age * day);
  }
  await setRetention(service.db, organizationId, ['audit=100']);
  expect(await applied(now)).toMatchObject({ rows: { audit: 2 } });
  expect(await count('audit_events', `action = 'old' and organization_id = '${organizationId}'`)).toBe(1);
  expect(await count('audit_events', `action = 'old' and organization_id = 'org_keeper'`)).toBe(3);
  expect(await applied(now)).toMatchObject({ rows: { audit: 0 } });
});

test('traces and then whole runs go, with their files; a run that is not over stays', async () => {
  const suite = {
    suiteName: 'Old',
    results: [{ caseTitle: 'One', passed: true, trace: 't'.repeat(100_000) }],
  };
  const { body } = await service.post('/projects/default/eval-ingest/report', suite);
  const runId = body.runId as string;
  const project = `/projects/${body.projectId as string}`;
  const ofRun = `run_id = '${runId}'`;
  expect({ status: await count('eval_traces', ofRun), body }).toMatchObject({ status: 1 });
  await setRetention(service.db, organizationId, ['traces=1', 'runs=forever']);
  expect(await applied(Date.now())).toMatchObject({ rows: { traces: 0 } });
  const { body: open } = await service.post('/projects/default/eval-ingest/runs/start', {
    suiteName: 'Open',
    externalRunId: 'open',
  });
  expect(await applied(Date.now() + 2 * day)).toMatchObject({ rows: { traces: 1 } });
  expect(await count('blobs')).toBe(0);
  expect(await count('eval_traces', ofRun)).toBe(0);
  expect(await count('eval_run_events', `run_id = '${open.runId as string}'`)).toBeGreaterThan(0);
  expect(await count('eval_run_events', ofRun)).toBe(0);
  expect((await service.get(`${project}/eval-runs/${runId}`)).status).toBe(200);
  const list = await service.get(`${project}/eval-runs/${runId}/iterations`);
  const iteration = list.body.items[0].id as string;
  const trace = await service.get(`${project}/eval-runs/${runId}/iterations/${iteration}/trace`);
  expect(trace).toMatchObject({
    status: 404,
    body: { message: expect.stringContaining('deleted by retention') },
  });
  await setRetention(service.db, organizationId, ['runs=1']);
  expect(await applied(Date.now() + 2 * day)).toMatchObject({ rows: { runs: 1 } });
  expect((await service.get(`${project}/eval-runs/${runId}`)).status).toBe(404);
  for (const table of ['eval_results', 'eval_run_snapshots', 'eval_trials'])
    expect({ table, rows: await count(table, ofRun) }).toEqual({ table, rows: 0 });
});

test.each([
  [['moon=3'], 'No kind moon. Available: audit, traces, runs, usage'],
  [['audit=0'], 'audit: "0" is not valid. Use days from 1 to 36500, or forever: audit=90'],
  [['audit=1', 'traces=soon'], 'traces: "soon" is not valid'],
])('%j is refused and nothing is saved', async (limits, message) => {
  const before = await client.query('select * from retention order by 1, 2');
  await expect(setRetention(service.db, organizationId, limits)).rejects.toThrow(message);
  expect((await client.query('select * from retention order by 1, 2')).rows).toEqual(before.rows);
});

// Last, because afterwards the partitions are months ahead and that of today is gone.
test('a month that nobody keeps goes whole, and one that is empty too, and nothing else', async () => {
  const now = startOfMonth(Date.now(), 9);
  for (let plus = 0; plus <= 9; plus++) await addParts(service.db, startOfMonth(Date.now(), plus));
  await audit(organizationId, startOfMonth(Date.now(), 5));
  await audit('org_keeper', startOfMonth(Date.now(), 6));
  await setRetention(service.db, organizationId, ['audit=1', 'usage=1', 'traces=1']);
  const { parts } = await applied(now);
  const named = (plus: number): string => {
    const text = new Date(startOfMonth(Date.now(), plus)).toISOString().slice(0, 7);
    return `audit_events_${text.replace('-', '_')}`;
  };
  // The keeper has rows in the first part and in that of month 6; month 8 is not a month behind yet.
  expect(parts.filter((name) => name.startsWith('audit_events'))).toEqual([4, 5, 7].map(named));
  await setRetention(service.db, 'org_keeper', ['audit=30']);
  expect((await applied(now)).parts.filter((name) => name.startsWith('audit_events'))).toEqual([
    'audit_events_before',
    named(6),
  ]);
});
