import { createHash } from 'node:crypto';
import type pg from 'pg';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { authoring, type EvalsWorld, prompt } from './support/eval-authoring.ts';
import type { Answer, RequestOptions, TestService } from './support/service.ts';
import { withoutTrace } from './support/snapshot.ts';
import { putFile, suiteFile } from './support/suite-files.ts';

let service: TestService;
let database: pg.Client;
let world: EvalsWorld;

authoring((parts) => void ({ service, database, world } = parts));

const put = (text: string | object, id?: string, options?: RequestOptions): Promise<Answer> =>
  putFile(world, text, id, options);
const titles = async (suiteId: string): Promise<string[]> =>
  (await world.cases(suiteId)).map(({ title }: { title: string }) => title);

describe('a suite file', () => {
  test('makes a suite, then changes it, and the same file again changes nothing', async () => {
    const text = stringify(suiteFile());
    const first = await put(text);
    expect(first).toMatchObject({
      status: 201,
      body: {
        created: true,
        unchanged: false,
        cases: { created: 2, updated: 0, deleted: 0, unchanged: 0, disabled: 0 },
        sourceHash: createHash('sha256').update(text).digest('hex'),
        suite: {
          declaredId: 'ships',
          managedBy: 'ci',
          revisionNumber: 1,
          environment: { servers: ['harbour'] },
          executionConfig: { model: 'drydock/rehearsal' },
          settings: { policy: 'v2', verdictPolicyDefaults: { repetitions: 2, passThreshold: 0.5 } },
        },
      },
    });
    const { id } = first.body.suite;
    const before = await world.cases(id);

    const again = await put(`# A comment\n${text}`);
    expect(again).toMatchObject({ status: 200, body: { created: false, unchanged: true } });
    expect(again.body.suite).toMatchObject({ id, revisionNumber: 1, sourceHash: again.body.sourceHash });
    expect(await world.cases(id)).toEqual(before);

    const changed = await put(
      suiteFile({
        suite: { id: 'ships', name: 'Ships of all kinds' },
        cases: [
          { id: 'new', title: 'New', steps: [prompt('New')] },
          { id: 'inspects', title: 'Inspects well', steps: [prompt('Inspect it')], disabled: true },
        ],
      }),
    );
    expect(changed.body).toMatchObject({
      unchanged: false,
      suite: { id, name: 'Ships of all kinds', revisionNumber: 2 },
      cases: { created: 1, updated: 1, deleted: 1, unchanged: 0, disabled: 1 },
    });
    // In the order of the file, and the case that stays keeps its ID.
    expect(await world.cases(id)).toMatchObject([
      { title: 'New', declaredId: 'new' },
      { title: 'Inspects well', id: before[1].id, disabled: true },
    ]);
    const { body: revisions } = await service.get(world.at(id, '/revisions'));
    expect(revisions.items).toMatchObject([
      { source: 'file_sync', changedFields: ['name', 'cases'] },
      { source: 'file_sync', changedFields: ['created'] },
    ]);
  });

  test('is the same in JSON and in the words of the first version', async () => {
    const { body } = await put(suiteFile());
    const { iterations: repetitions, ...rest } = suiteFile().defaults;
    const older = { ...suiteFile(), schemaVersion: '1', defaults: { ...rest, repetitions } };
    const json = { headers: { 'content-type': 'application/json' } };
    const again = await put(JSON.stringify(older), 'ships', json);
    expect(again).toMatchObject({ status: 200, body: { unchanged: true, suite: { id: body.suite.id } } });
  });

  test('that only moves its cases makes a revision', async () => {
    const { body } = await put(suiteFile());
    const moved = await put(suiteFile({ cases: suiteFile().cases.toReversed() }));
    expect(moved.body).toMatchObject({
      unchanged: false,
      cases: { unchanged: 2 },
      suite: { revisionNumber: 2 },
    });
    expect(await titles(body.suite.id)).toEqual(['Inspects', 'Lists']);
    expect(await put(suiteFile({ cases: suiteFile().cases.toReversed() }))).toMatchObject({
      body: { unchanged: true },
    });
  });

  test('sent by many at once makes one suite', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => put(suiteFile())));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(11);
    expect(new Set(answers.map(({ body }) => body.suite.id)).size).toBe(1);
    expect(await titles(answers[0]?.body.suite.id)).toHaveLength(2);
  });

  test('is not in the way of a suite of the same name, nor of one that was deleted', async () => {
    const other = await world.suite({ name: 'Ships' });
    const { body } = await put(suiteFile());
    expect(body.suite.id).not.toBe(other);
    expect(await world.read(other)).toMatchObject({ managedBy: 'app', revisionNumber: 1 });
    await service.delete(`${world.at(body.suite.id)}?declaredSuiteId=ships`);
    expect(await put(suiteFile())).toMatchObject({ status: 201, body: { created: true } });
  });

  const [one, two] = suiteFile().cases;
  test.each<[string, unknown, string | undefined, object]>([
    [
      'one bad case',
      suiteFile({ cases: [one, { ...two, steps: [] }] }),
      undefined,
      { path: 'cases.1.steps' },
    ],
    [
      'a word that is not known',
      suiteFile({ cases: [one, { ...two, tags: [] }] }),
      undefined,
      { path: 'cases.1.tags', line: 25, column: 5 },
    ],
    ['too many trials', suiteFile({ cases: [{ ...one, iterations: 11 }] }), 'REPETITIONS_CAP', {}],
    ['no case that is run', suiteFile({ cases: [{ ...one, disabled: true }] }), 'NO_ENABLED_CASES', {}],
    [
      'a tool policy',
      suiteFile({ defaults: { ...suiteFile().defaults, toolPolicy: { mode: 'readOnly' } } }),
      'TOOL_POLICY_UNSUPPORTED',
      {},
    ],
    [
      'an unknown server',
      suiteFile({ target: { servers: [{ name: 'harbour' }, { name: 'nowhere' }] } }),
      'UNKNOWN_SERVER',
      { path: 'target.servers.1', line: 8, column: 7, message: /nowhere/ },
    ],
    [
      'an unknown server id',
      suiteFile({ target: { servers: [{ name: 'harbour', id: 'srv_x' }] } }),
      'UNKNOWN_SERVER',
      { message: /srv_x/ },
    ],
    ['an unknown environment', suiteFile({ target: { environment: 'staging' } }), 'UNKNOWN_ENVIRONMENT', {}],
    [
      'an unknown client',
      suiteFile({ target: { servers: [{ name: 'harbour' }], hosts: [{ host: 'Nobody' }] } }),
      'UNKNOWN_HOST',
      { path: 'target.hosts.0' },
    ],
    [
      'another id',
      suiteFile({ suite: { id: 'boats', name: 'x' } }),
      'SUITE_ID_MISMATCH',
      { path: 'suite.id', line: 3 },
    ],
    ['bytes that are no text', 'suite: "\ud800"', undefined, {}],
    ['nothing', '', undefined, {}],
  ])('with %s writes nothing', async (_what, given, reason, problem) => {
    await put(suiteFile());
    const answer = await withoutTrace(database, () => put(given as object));
    const { message, ...rest } = problem as { message?: RegExp };
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR', details: { reason: reason ?? 'INVALID_SUITE_FILE' } },
    });
    expect(answer.body.details.problems[0]).toMatchObject({
      ...rest,
      message: expect.stringMatching(message ?? /./),
    });
  });

  test('that is too large is refused before all of it is read', async () => {
    const answer = await put(`# ${'x'.repeat(1_048_576)}\n${stringify(suiteFile())}`);
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining('1048576') } });
    let left = 1_024;
    const long = new ReadableStream({
      pull: (controller) => {
        left -= 1;
        if (left > 0) controller.enqueue(new Uint8Array(65_536).fill(32));
        else controller.close();
      },
    });
    const sent = fetch(`${service.running.baseUrl}${world.project}/eval-suite-files/ships`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${service.key}` },
      body: long,
      duplex: 'half',
    });
    // The connection may end before the answer is read.
    expect(await sent.then(({ status }) => status).catch(() => 400)).toBe(400);
    expect(left).toBeGreaterThan(0);
  });
});

test('what owns a suite decides who may change it, and the refusal says what to do', async () => {
  const { body } = await put(suiteFile());
  const report = { suiteName: 'Reported', results: [{ caseTitle: 'a', passed: true }] };
  await service.post(`${world.project}/eval-ingest/report`, report);
  const { items } = (await service.get(`${world.project}/eval-suites`)).body;
  const { id } = items.find(({ name }: { name: string }) => name === 'Reported');
  const refused = { status: 409, body: { details: { reason: 'CI_OWNED_SUITE_READ_ONLY' } } };
  const owned = await world.patch(body.suite.id, { name: 'Mine' });
  expect(owned).toMatchObject(refused);
  expect(owned.body.message).toContain('Edit the file, or send its ID as declaredSuiteId');
  const claimed = await service.patch(`${world.at(id)}?declaredSuiteId=ships`, { name: 'Mine' });
  expect(claimed).toMatchObject(refused);
  expect(claimed.body.message).toContain('Create another suite');
  expect(await world.read(id)).toMatchObject({ managedBy: 'ci', name: 'Reported' });
  expect((await world.read(id)).declaredId).toBeUndefined();
});

describe('cases of a file', () => {
  test('that are disabled are kept and not run', async () => {
    const [first, second] = suiteFile().cases;
    const { body } = await put(suiteFile({ cases: [first, { ...second, disabled: true }] }));
    const suiteId = body.suite.id as string;
    const runId = await world.run({ suiteId });
    const { items } = (await service.get(`${world.project}/eval-runs/${runId}/iterations`)).body;
    expect(new Set(items.map(({ title }: { title: string }) => title))).toEqual(new Set(['Lists']));
    await world.cancel(runId);
    expect(await world.launch({ suiteId, caseIds: ['inspects'] })).toMatchObject({
      status: 400,
      body: { details: { reason: 'NO_ENABLED_CASES' } },
    });
  });

  test('that were imported keep their claim; what has no counterpart cannot run', async () => {
    const [first, second] = suiteFile().cases;
    const claim = { status: 'unsupported', sourceCaseKey: 'tests.1', note: 'A script' };
    const { body } = await put(
      suiteFile({
        cases: [
          { ...first, intent: 'list', kind: 'regression' },
          { ...second, import: claim },
        ],
      }),
    );
    const suiteId = body.suite.id as string;
    expect(await world.cases(suiteId)).toMatchObject([
      { intent: 'list', kind: 'regression' },
      { import: claim },
    ]);
    expect(await world.launch({ suiteId })).toMatchObject({
      status: 400,
      body: { details: { reason: 'UNRUNNABLE_CASES' } },
    });
    expect(await world.launch({ suiteId, caseIds: ['lists'] })).toMatchObject({ status: 202 });
  });
});

describe('from-file', () => {
  const hash = 'a'.repeat(64);
  const send = (body: object): Promise<Answer> =>
    service.post(`${world.project}/eval-suites/from-file`, {
      declaredSuiteId: 'ships',
      name: 'Ships',
      sourceHash: hash,
      ...body,
    });
  const policy = {
    verdictPolicyVersion: 2,
    verdictPolicyDefaults: { repetitions: 3, passThreshold: 0.6, validity: { minEligibleTrials: 0 } },
  };

  test('makes a suite that takes cases with its id, and is found by the id alone', async () => {
    const made = await send({
      ...policy,
      description: 'Of the drydock',
      environment: {
        servers: ['port'],
        serverBindings: [{ serverName: 'port', projectServerId: world.server.id }],
      },
      defaultConfig: { modelId: 'drydock/rehearsal', systemPrompt: 'Be brief', temperature: 0 },
      provenance: { sourceHash: hash, sourceFormat: 'promptfoo', reportHash: hash },
    });
    expect(made).toMatchObject({
      status: 201,
      body: {
        created: true,
        suite: {
          declaredId: 'ships',
          managedBy: 'ci',
          sourceHash: hash,
          description: 'Of the drydock',
          environment: { servers: ['harbour'] },
          executionConfig: { model: 'drydock/rehearsal', systemPrompt: 'Be brief', temperature: 0 },
          settings: { policy: 'v2', verdictPolicyDefaults: policy.verdictPolicyDefaults },
        },
      },
    });
    const { id } = made.body.suite;
    expect(await send({ description: 'Of the drydock', name: 'Renamed' })).toMatchObject({
      status: 200,
      body: {
        created: false,
        suite: { id, name: 'Renamed', revisionNumber: 2, environment: { servers: ['harbour'] } },
      },
    });
    expect(await send({ name: 'Renamed', description: 'Of the drydock' })).toMatchObject({
      status: 200,
      body: { suite: { revisionNumber: 2 } },
    });
    expect(await world.addCase(id)).toMatchObject({ status: 409 });
    const cases = `${world.at(id, '/cases/batch')}?declaredSuiteId=ships`;
    expect(await service.post(cases, { cases: [{ title: 'One', steps: [prompt()] }] })).toMatchObject({
      status: 201,
    });
    expect(await world.launch({ suiteId: id })).toMatchObject({ status: 202 });
  });

  test('sent by many at once makes one suite', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => send(policy)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(11);
  });

  test.each<[object, number]>([
    [{ verdictPolicyVersion: 2 }, 400],
    [{ ...policy, defaultPassCriteria: { minimumPassRatePercent: 5 } }, 400],
    [{ cases: [] }, 400],
    [{ declaredSuiteId: 'no spaces' }, 400],
    [{ sourceHash: 'x' }, 400],
    [{ environment: { servers: ['nowhere'] } }, 404],
  ])('%j is refused', async (body, status) => {
    expect(await withoutTrace(database, () => send(body))).toMatchObject({ status });
  });

  test('suites that are decided by one rate are possible', async () => {
    const criteria = { minIterations: 3, defaultPassCriteria: { minimumPassRatePercent: 70 } };
    expect((await send(criteria)).body.suite.settings).toMatchObject({
      policy: 'legacy',
      minimumAccuracy: 70,
      minimumIterations: 3,
    });
  });
});

test('editors find the schema of suite files without a key', async () => {
  const response = await fetch(`${service.origin}/schemas/suite-file.json`);
  expect(response.headers.get('content-type')).toContain('json');
  const { $id, oneOf, anyOf } = (await response.json()) as Record<string, unknown[]>;
  expect($id).toBe(`${service.origin}/schemas/suite-file.json`);
  expect(oneOf ?? anyOf).toHaveLength(2);
});

describe('servers of a file', () => {
  const file = (servers: object, id: string) =>
    suiteFile({
      suite: { id, name: id },
      servers,
      target: { servers: Object.keys(servers).map((name) => ({ name })) },
    });

  test('are saved where the project has none with the name, with the ids in the answer, and then stay as they are', async () => {
    const url = await service.demoUrl();
    const first = await put(file({ brought: { url, headers: { 'x-one': 'a' } } }, 'brings'), 'brings');
    expect(first).toMatchObject({ status: 201, body: { servers: [{ name: 'brought' }] } });
    const [{ id }] = first.body.servers;
    const saved = (await service.get(`${world.project}/servers/${id}`, { key: world.key })).body;
    expect(saved).toMatchObject({ name: 'brought', url, headerNames: ['x-one'] });

    const moved = await put(file({ brought: { url: 'http://127.0.0.1:9/other' } }, 'brings'), 'brings');
    expect(moved).toMatchObject({ status: 200 });
    expect(moved.body).not.toHaveProperty('servers');
    expect((await service.get(`${world.project}/servers/${id}`, { key: world.key })).body).toEqual(saved);
    const text = await service.get(`${world.project}/eval-suites/${first.body.suite.id}/file`, {
      key: world.key,
    });
    expect(text.text).not.toContain('x-one');
    expect(text.text).toContain('name: brought');
  });

  test.each([
    [{ command: 'node', env: { TOKEN: '${PATH}' } }, /command line replaces/],
    [{ url: 'http://127.0.0.1:${DRYDOCK_PORT}/mcp' }, /command line replaces/],
    [{ url: 'ftp://127.0.0.1/mcp' }, /Only http and https/],
  ])('%j is a problem with its place, and nothing is written', async (server, message) => {
    const refused = await put(file({ refused: server }, 'refused'), 'refused');
    expect(refused).toMatchObject({ status: 400, body: { details: { reason: 'SERVER_NOT_SAVED' } } });
    const [problem] = refused.body.details.problems;
    expect(problem).toMatchObject({ path: 'servers.refused', message: expect.stringMatching(message) });
    expect(problem.line).toBeGreaterThan(1);
    const { body } = await service.get(`${world.project}/servers`, { key: world.key });
    expect(body.items.map(({ name }: { name: string }) => name)).not.toContain('refused');
  });

  test('a command is saved for an administrator of the project only', async () => {
    const { key } = await service.member('member');
    const commands = file({ local: { command: process.execPath, args: ['server.js'] } }, 'local');
    const refused = await put(commands, 'local', { key });
    expect(refused).toMatchObject({ status: 400 });
    expect(refused.body.message).toContain('Only an administrator of the project');
    expect(await put(commands, 'local')).toMatchObject({
      status: 201,
      body: { servers: [{ name: 'local' }] },
    });
  });
});
