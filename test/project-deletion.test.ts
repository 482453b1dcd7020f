// @module-tag long
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Operation } from '../src/contract/operation.ts';
import { listOrganizations, projectNamed } from '../src/domain/operator/find.ts';
import { listMembers, setMember } from '../src/domain/operator/members.ts';
import { listPlugins } from '../src/domain/operator/plugins.ts';
import { listSkills, removeSkill } from '../src/domain/operator/skills.ts';
import { housekeeping } from '../src/domain/retention/housekeeping.ts';
import { deliverSecrets } from '../src/domain/secrets/deliver.ts';
import type { Db } from '../src/platform/database/database.ts';
import * as grants from '../src/platform/database/queries/grants.ts';
import { projectContents } from '../src/platform/database/queries/project-contents.ts';
import { markDeleted } from '../src/platform/database/queries/projects.ts';
import type { Content } from '../src/platform/database/queries/removal.ts';
import * as servers from '../src/platform/database/queries/servers.ts';
import { around, dbOn } from './support/db.ts';
import { baseOf, everyOperation, isOfConsole } from './support/every-operation.ts';
import { everyParameter, exampleFor, fillPath, makeParameters } from './support/path-parameters.ts';
import { newSession } from './support/people.ts';
import { removeDeletedContent } from './support/removal.ts';
import { dispose, type RequestOptions, startTestService, type TestService } from './support/service.ts';
import { scaled } from './support/slowdown.ts';
import { withoutTrace } from './support/snapshot.ts';
import { fillStudy } from './support/study-arrangements.ts';

let service: TestService;
let database: pg.Client;

beforeAll(async () => {
  service = await startTestService({ worker: false });
  database = await service.database.connect();
});
afterAll(async () => {
  await database?.end();
  await dispose(service);
});

type Parameters = Record<string, string>;

/** A project with rows in every table, and the IDs of its resources. */
async function fullProject(): Promise<Parameters> {
  const made = await makeParameters(service, everyParameter);
  const project = `/projects/${made['projectId']}`;
  const tokens = { serverUrl: await service.demoUrl(), tokens: { access_token: 'at-tell-nobody' } };
  await service.post(`${project}/servers/${made['serverId']}/oauth/import-tokens`, tokens);
  await service.post(`${project}/tunnels`, { name: 'behind a tunnel' });
  const checked = `${project}/servers/${made['serverId']}/checks`;
  await service.request('PUT', checked, { body: { enabled: false } });
  await database.query(
    `insert into server_check_results (id, server_id, project_id, ok, status, duration_ms)
     select 'chk_' || substr(server_id, 5), server_id, project_id, true, 'ready', 1 from server_checks where server_id = $1`,
    [made['serverId']],
  );
  await service.post(`${project}/registry/installs`, { registryServerId: made['registryServerId'] });
  await service.request('PUT', `${project}/servers/${made['serverId']}/contract-baseline`, {
    body: { export: { tools: [] } },
  });
  await service.post(`${project}/server-groups`, { name: 'g', serverIds: [made['serverId']] });
  await database.query("insert into skill_files (skill_id, path, content) values ($1, 'notes.md', 'x')", [
    made['skillId'],
  ]);
  await database.query(
    `insert into blobs (id, organization_id, project_id, content_type, size, sha256)
     select 'blb_' || substr(id, 5), organization_id, id, 'text/plain', 1, '' from projects where id = $1`,
    [made['projectId']],
  );
  await fillStudy(service, made);
  await service.patch(`${project}/shares/evalRun/${made['runId']}`, { shared: true });
  const note = { projectId: made['projectId'], sessionId: made['browserSessionId'], text: 'fixture' };
  await service.post('/browser-sessions/note', note);
  await database.query(
    `with sealed as (
       insert into sealed_values (id, key_id, organization_id, project_id, ciphertext)
       select 'sec_profile' || substr(project_id, 5), key_id, organization_id, project_id, ciphertext
       from sealed_values where project_id = $1 limit 1 returning id)
     insert into browser_profiles (project_id, user_id, name, sealed_id)
     select b.project_id, b.user_id, 'fixture', sealed.id from browser_sessions b, sealed where b.project_id = $1 limit 1`,
    [made['projectId']],
  );
  for (const statement of [
    `insert into eval_results (trial_id, run_id, position, case_id, variant, number, status, finished_at, detail, stages)
     select id, run_id, position, case_id, variant, number, 'completed', now(), '{}', '{}' from eval_trials where run_id = $1`,
    `insert into eval_traces (trial_id, run_id, body) select id, run_id, '{}' from eval_trials where run_id = $1`,
    `insert into eval_tally (trial_id, run_id, passed, input_tokens, output_tokens, model_calls, billed_micros, events)
     select id, run_id, true, 0, 0, 0, 0, '[]' from eval_trials where run_id = $1`,
    `insert into eval_case_evaluations (run_id, case_key, evaluation, content_hash)
     select id, 'a case', '{}', '' from eval_runs where id = $1`,
    `insert into eval_artifact_refs (run_id, blob_id)
     select r.id, b.id from eval_runs r join blobs b on b.project_id = r.project_id where r.id = $1 limit 1`,
    `insert into eval_run_outcomes (run_id, suite_id, completed_at) select id, suite_id, now() from eval_runs where id = $1`,
    `insert into eval_run_judgements (run_id, request, status, gating, model, threshold, total, skipped, requested_by, deadline_at)
     select id, 1, 'completed', false, 'm', 0, 0, 0, 'usr', now() from eval_runs where id = $1`,
    `insert into eval_judged_trials (trial_id, run_id, position, case_key, goal, groundedness, billed_micros)
     select id, run_id, position, 'c', '{}', '{}', 0 from eval_trials where run_id = $1`,
    `insert into eval_run_insights (run_id, request, status, requested_by)
     select id, 1, 'completed', 'usr' from eval_runs where id = $1`,
    `insert into eval_backtests (id, run_id, kind, draft_hash, source_hash)
     select 'btt_' || substr(id, 5), id, 'judge', '', '' from eval_runs where id = $1`,
    `insert into eval_backtest_pages (backtest_id, run_id, cursor, body)
     select 'btt_' || substr(id, 5), id, 0, '{}' from eval_runs where id = $1`,
  ])
    await database.query(statement, [made['runId']]);
  for (const statement of [
    `insert into journey_run_tools (run_id, target, tools) values ($1, 0, '[]')`,
    `insert into journey_turns (session_id, prompt_index, evidence)
     select id, 0, '{}' from journey_sessions where run_id = $1`,
    `insert into journey_observations (project_id, fingerprint, wave_id, wave_at, fired, affected, total)
     select project_id, 'f', wave_id, now(), true, 1, 1 from journey_runs where id = $1`,
    `insert into wave_insights (project_id, wave_id, status, requested_by)
     select project_id, wave_id, 'completed', 'usr' from journey_runs where id = $1`,
  ])
    await database.query(statement, [made['journeyRunId']]);
  return made;
}

/** Includes tables whose rows are deleted together with rows of another table. */
const contents: readonly Content[] = [
  ...projectContents,
  {
    table: 'eval_traces',
    from: 'eval_runs r join eval_traces t on t.run_id = r.id where r.project_id = :id',
  },
];

/** Number of the project's rows in each table, without empty ones. */
async function rowsOf(projectId: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const tables = [...contents, { table: 'projects' }];
  for (const { table, from } of tables) {
    const where = table === 'projects' ? 'projects t where t.id = $1' : `${table} t where t.project_id = $1`;
    const rowsOfProject = from?.replace(':id', '$1') ?? where;
    const { rows } = await database.query(`select count(*)::int as n from ${rowsOfProject}`, [projectId]);
    if (rows[0].n > 0) counts[table] = rows[0].n;
  }
  return counts;
}

const remove = (projectId: string | undefined) => service.delete(`/projects/${projectId}`);

test('everything that refers to a project is removed, children before what they refer to', async () => {
  const { rows } = await database.query<{ child: string; parent: string }>(
    "select conrelid::regclass::text as child, confrelid::regclass::text as parent from pg_constraint where contype = 'f' and conparentid = 0",
  );
  // Some tables refer to runs without a constraint. Model costs belong to the organization.
  const { rows: ofRuns } = await database.query<{ name: string }>(
    `select c.relname::text as name from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and a.attname = 'run_id' and c.relname <> 'model_calls'`,
  );
  const inside = new Set(['projects', ...ofRuns.map(({ name }) => name)]);
  for (let before = 0; before < inside.size; ) {
    before = inside.size;
    for (const { child, parent } of rows) if (inside.has(parent)) inside.add(child);
  }
  const all: readonly Content[] = projectContents;
  const order = [...all.flatMap(({ table, along }) => [table, ...(along?.tables ?? [])]), 'projects'];
  expect(order.toSorted()).toEqual([...inside].toSorted());
  const tooEarly = rows.filter(
    ({ child, parent }) =>
      inside.has(child) && inside.has(parent) && order.indexOf(child) > order.indexOf(parent),
  );
  expect(tooEarly).toEqual([]);
});

/** Options for a request of the owner, with a key or from a page of the console. */
async function askingFor(operation: Operation): Promise<RequestOptions> {
  if (!isOfConsole(operation)) return {};
  const token = await newSession(service, (await service.get('/me')).body.id as string);
  const headers = { 'x-drydock-console': '1', cookie: `drydock_session=${token}` };
  return { key: null, base: baseOf(operation), headers };
}

/** Kinds of the project's credentials that the rest of the service can use. */
async function usable(made: Parameters): Promise<string[]> {
  const { db, running } = service;
  const projectId = made['projectId'] as string;
  const { rows } = await database.query('select id from oauth_grants where project_id = $1', [projectId]);
  const userId = (await service.get('/me')).body.id as string;
  const secretIds = [made['secretId'] as string];
  const found = {
    grant: await db.row(grants.find, { id: rows[0].id }),
    server: await db.row(servers.findLive, { projectId, id: made['serverId'] as string }),
    secret: (await deliverSecrets(running.services, { projectId, userId, secretIds })).secrets[0],
  };
  return Object.entries(found).flatMap(([kind, thing]) => (thing === undefined ? [] : [kind]));
}

describe('from the request on', () => {
  let made: Parameters;
  let usableBefore: string[];

  beforeAll(async () => {
    made = await fullProject();
    usableBefore = await usable(made);
    await remove(made['projectId']);
  });

  test('its content is still there, so what follows is about who sees it', async () => {
    const tables = [...contents.map(({ table }) => table), 'projects'].toSorted();
    expect(Object.keys(await rowsOf(made['projectId'] as string)).toSorted()).toEqual(tables);
  });

  const inProject = everyOperation.filter(({ path }) => path.includes('{projectId}'));

  test.each(inProject.map(({ id, ...operation }) => ({ id, operation: { id, ...operation } })))(
    '$id finds no project and writes nothing',
    async ({ operation }) => {
      const body = operation.method === 'GET' ? undefined : await exampleFor(service, operation, made);
      const asking = { ...(await askingFor(operation)), body };
      const answer = await withoutTrace(database, () =>
        service.request(operation.method, fillPath(operation.path, made), asking),
      );
      expect(answer).toMatchObject({ status: 404, body: { code: 'NOT_FOUND', message: 'No such project' } });
    },
  );

  test('what is reached without its name is gone too', async () => {
    expect((await service.get('/projects')).text).not.toContain(made['projectId']);
    expect((await service.get(`/plugin-versions/${made['pluginVersionId']}`)).status).toBe(404);
    expect((await service.get(`/chat-sessions?projectId=${made['projectId']}`)).status).toBe(404);
    const request = await service.get(`/server-connections/${made['connectionRequestId']}`);
    expect(request.body).toMatchObject({ status: 'cancelled' });
    expect(request.text).not.toContain(made['projectId']);
    const again = { url: await service.demoUrl(), projectId: made['projectId'] };
    expect((await service.post('/server-connections', again)).status).toBe(403);
  });

  test('tokens and secrets are not handed out', async () => {
    expect(usableBefore).toEqual(['grant', 'server', 'secret']);
    expect(await usable(made)).toEqual([]);
  });

  test('the operator does not see it', async () => {
    const { db } = service;
    const project = made['projectId'] as string;
    const none = `No project ${project}`;
    const user = (await service.get('/me')).body.id as string;
    await expect(projectNamed(db, project)).rejects.toThrow(none);
    await expect(listMembers(db, { project })).rejects.toThrow(none);
    await expect(setMember(db, { project }, { user, role: 'admin' })).rejects.toThrow(none);
    await expect(removeSkill(db, made['skillId'] as string)).rejects.toThrow('No skill');
    expect((await listSkills(db, undefined)).filter(({ projectId }) => projectId === project)).toEqual([]);
    expect((await listPlugins(db, undefined)).filter(({ projectId }) => projectId === project)).toEqual([]);
    const [organization] = await listOrganizations(db);
    const visible = (await service.get('/projects')).body.items.length;
    expect(organization?.projects).toBe(visible);
  });

  test('its name is free', async () => {
    const other = await service.post('/projects', { name: 'Fixture' });
    expect(other.status).toBe(201);
    expect((await projectNamed(service.db, 'Fixture')).id).toBe(other.body.id);
    await remove(other.body.id);
  });
});

/** Resolves when one statement waits for a lock. */
async function somebodyWaits(): Promise<void> {
  const waiting = async () =>
    (await database.query('select 1 from pg_locks where not granted')).rowCount as number;
  await expect.poll(waiting).toBe(1);
}

test('a writer under way is waited for, and one that comes meanwhile finds no project', async () => {
  const { body: project } = await service.post('/projects', { name: 'Contested' });
  const other = await service.database.connect();
  onTestFinished(() => other.end());
  await other.query('begin');
  await other.query('select 1 from projects where id = $1 for key share', [project.id]);
  const deletion = remove(project.id);
  await somebodyWaits();
  expect((await service.get(`/projects/${project.id}/servers`)).status).toBe(200);
  await other.query('commit');
  expect((await deletion).status).toBe(200);
  expect((await remove(project.id)).status).toBe(404);

  const { body: second } = await service.post('/projects', { name: 'Contested' });
  await other.query('begin');
  await markDeleted(dbOn(other), second);
  const write = service.post(`/projects/${second.id}/servers`, { name: 's', url: 'https://e.com' });
  await somebodyWaits();
  await other.query('commit');
  expect(await write).toMatchObject({ status: 404, body: { message: 'No such project' } });
});

/** Fails at the nth statement, as a crash would. */
function crashingAt(db: Db, n: number): Db {
  let left = n;
  return around(db, async (_query, send) => {
    if (left-- <= 0) throw new Error('crash');
    return send();
  });
}

test('after a crash at any point the rest is removed, and nothing of other projects', async () => {
  await removeDeletedContent(service.running.services);
  const kept = await fullProject();
  const before = await rowsOf(kept['projectId'] as string);
  const doomed = (await fullProject())['projectId'] as string;
  expect((await remove(doomed)).status).toBe(200);
  const failures: string[] = [];
  while ((await rowsOf(doomed))['projects'])
    await removeDeletedContent({
      ...service.running.services,
      db: crashingAt(service.db, failures.length),
    }).catch((error: Error) => failures.push(error.message));
  expect(failures.length).toBeGreaterThan(projectContents.length);
  expect(new Set(failures)).toEqual(new Set(['crash']));
  expect(await rowsOf(doomed)).toEqual({});
  expect(await rowsOf(kept['projectId'] as string)).toEqual(before);
  const { rows } = await database.query('select 1 from blob_garbage where blob_id = $1', [
    `blb_${doomed.slice(4)}`,
  ]);
  expect(rows).toHaveLength(1);
});

test('a large project is removed in short steps, and its files in one sweep', async () => {
  await removeDeletedContent(service.running.services);
  const { body: project } = await service.post('/projects', { name: 'Large' });
  const place = [project.id, project.organizationId];
  await database.query(
    `insert into sealed_values (id, key_id, organization_id, project_id, ciphertext)
     select 'sec_' || n, (select id from vault_keys limit 1), $2, $1, '' from generate_series(1, 5000) n`,
    place,
  );
  await database.query(
    `insert into servers (id, project_id, name, name_key, enabled, transport_type, url, settings, sealed_id)
     select 'srv_' || n, $1, 'server ' || n, 'server ' || n, true, 'http', 'https://e.com', '{}', 'sec_' || n
     from generate_series(1, 5000) n`,
    [project.id],
  );
  await database.query(
    `insert into blobs (id, organization_id, project_id, content_type, size, sha256)
     select 'blb_' || n, $2, $1, 'text/plain', 1, '' from generate_series(1, 5000) n`,
    place,
  );
  let longest = 0;
  const timed = async <T>(work: () => Promise<T>): Promise<T> => {
    const began = performance.now();
    return work().finally(() => (longest = Math.max(longest, performance.now() - began)));
  };
  await timed(() => remove(project.id));
  await removeDeletedContent({
    ...service.running.services,
    db: around(service.db, (_query, send) => timed(send)),
  });
  expect(await rowsOf(project.id)).toEqual({});
  // Far more than a step takes, even on a busy machine.
  expect(longest).toBeLessThan(scaled(5_000));

  await database.query("update blob_garbage set since = now() - interval '2 hours'");
  const sweep = housekeeping(service.running.services).find(({ kind }) => kind === 'sweep-blobs');
  await sweep?.handle({}, new AbortController().signal);
  expect((await database.query('select 1 from blob_garbage')).rowCount).toBe(0);
});
