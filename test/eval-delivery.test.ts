// @module-tag long
import { afterAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { RunsInProcess } from '../src/domain/eval-runs/execute/run-in-process.ts';
import { installPlugin } from '../src/domain/operator/plugins.ts';
import { addSkill } from '../src/domain/operator/skills.ts';
import { type EchoTarget, startEcho, waysToEcho } from './support/echo-target.ts';
import { skillFiles } from './support/environments.ts';
import { type Evals, executing, promptCase, scriptedModel } from './support/evals.ts';
import { callThenAnswer, type ScriptedProvider } from './support/scripted-provider.ts';
import { type TestService } from './support/service.ts';
import { everythingStdio } from './targets/processes.ts';

/** Values that an environment grants reach the servers of its runs and are never disclosed. */

const providerKey = 'provider-key/tellnobody5e2a';
const ownKey = 'own-key/tellnobody5e2b';
const secret = 'to&ken/"tellnobody7c1f"+<secret>';
const saved = 'saved/"tellnobody9d3e"=';

let provider: ScriptedProvider;
let service: TestService;
let evals: Evals;
let echo: EchoTarget;

executing(
  async (parts) => {
    ({ provider, service, evals } = parts);
    echo = await startEcho('x-dock');
  },
  { key: providerKey, unpriced: true },
);
afterAll(() => echo?.stop());
beforeEach(() => {
  provider.requests.length = 0;
  echo.seen.clear();
});

async function made(path: string, body: object, key = service.key): Promise<string> {
  const answer = await service.post(`${evals.project}/${path}`, body, { key });
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return answer.body.id as string;
}

async function environment(serverIds: string[], fields: object = {}): Promise<string> {
  const config = { modelId: scriptedModel, serverIds };
  const hostId = await made('clients', { name: `client ${Math.random()}`, config });
  return made('environments', { name: `environment ${Math.random()}`, hostId, ...fields });
}

const granting = (...secretIds: string[]) => ({ secretSelection: { mode: 'explicit', secretIds } });
const materialized = (fields: object = {}) => ({
  name: 'DOCK_TOKEN',
  value: secret,
  delivery: 'materialized',
  ...fields,
});
const brokered = (fields: object = {}) => ({
  name: `BROKERED_${Math.floor(Math.random() * 1e9)}`,
  value: secret,
  delivery: 'brokered',
  brokerHosts: ['127.0.0.1'],
  brokerHeader: 'X-Dock',
  brokerTemplate: 'Bearer {}',
  ...fields,
});

/** Runs one case with an environment. */
async function runWith(
  environmentId: string,
  body: object = {},
  { key = service.key, prompt = 'Go' } = {},
): Promise<string> {
  const suiteId = await evals.suite({
    serverIds: [await evals.server()],
    tests: [promptCase('Goes', prompt)],
  });
  const answer = await service.post(
    `${evals.project}/eval-runs`,
    { suiteId, environmentId, ephemeralEnvironment: true, ...body },
    { key },
  );
  expect([answer.status, answer.text]).toEqual([202, expect.any(String)]);
  await evals.follow(answer.body.runId);
  return answer.body.runId as string;
}

/** Everything that anyone can read of a run, with the logs and the stored rows. */
async function everythingOf(runId: string): Promise<string> {
  const { items } = await evals.read(runId, '/iterations');
  const parts: unknown[] = [await evals.read(runId), await evals.read(runId, '/decision-summary'), items];
  for (const { id } of items) {
    const trace = await service.get(`${evals.project}/eval-runs/${runId}/iterations/${id}/trace`);
    parts.push(trace.text, await evals.read(runId, `/iterations/${id}/steps`));
  }
  parts.push(await evals.follow(runId));
  const projectId = evals.project.split('/').at(-1);
  const otlp = await service.get(`/trace-exports/otlp?projectId=${projectId}&includeContent=true&limit=200`);
  expect(otlp.status).toBe(200);
  const client = await service.database.connect();
  const stored = await client.query(
    `select (select json_agg(r) from eval_results r) as results, (select json_agg(t) from eval_traces t) as traces,
       (select json_agg(s.snapshot) from eval_run_snapshots s) as snapshots, (select json_agg(t) from eval_tally t) as tally,
       (select json_agg(e.data) from eval_run_events e) as events, (select json_agg(e) from eval_runs e) as runs`,
  );
  await client.end();
  return [
    ...parts,
    otlp.text,
    stored.rows,
    service.logs,
    provider.requests.map(({ body }) => body as unknown),
  ]
    .map((part) => (typeof part === 'string' ? part : JSON.stringify(part)))
    .join('\n');
}

/** Traces of secrets in any encoding: the middle as it is, and as base64 at each of three offsets. */
function tracesOf(...secrets: string[]): string[] {
  return secrets.flatMap((one) => {
    const encoded = ['', 'x', 'xx'].map((before) =>
      Buffer.from(before + one)
        .toString('base64')
        .slice(4, -6),
    );
    return [/tellnobody\w{4}/.exec(one)?.[0] ?? one, ...encoded];
  });
}

async function expectUntold(runId: string, ...secrets: string[]): Promise<void> {
  const told = await everythingOf(runId);
  expect(tracesOf(...secrets).filter((trace) => told.includes(trace))).toEqual([]);
}

const traceOf = async (runId: string): Promise<string> => {
  const { items } = await evals.read(runId, '/iterations');
  return JSON.stringify(await evals.read(runId, `/iterations/${items[0].id}/trace`));
};

test('a materialized secret is a variable of the servers of the run, and of nobody else', async () => {
  const server = await evals.server(everythingStdio());
  const secretId = await made('secrets', materialized());
  const granted = await environment([server], granting(secretId));
  const other = await environment([server]);
  provider.script = callThenAnswer({ name: 'get-env', input: {} });
  const runId = await runWith(granted);
  expect(await traceOf(runId)).toContain('\\"DOCK_TOKEN\\": \\"[hidden]\\"');
  await expectUntold(runId, secret);
  expect(await traceOf(await runWith(other))).not.toContain('DOCK_TOKEN');
  const called = await service.post(`${evals.project}/servers/${server}/tools/call`, {
    toolName: 'get-env',
    parameters: {},
  });
  expect(called.status).toBe(200);
  expect(called.text).not.toContain('DOCK_TOKEN');
});

test('a brokered secret is a header at its host, and whatever the server makes of it nobody is told', async () => {
  const [here, elsewhere] = [
    await evals.server({ url: echo.url(), headers: { 'X-Saved': `Bearer ${saved}` } }),
    await evals.server({ url: echo.url('localhost') }),
  ];
  const secretId = await made('secrets', brokered());
  const ways = ['refuses', 'refuses in base64', ...Object.keys(waysToEcho)];
  provider.script = ({ body, results }) => {
    const offered = (body.tools as { function: { name: string } }[]).map(({ function: { name } }) => name);
    if (results === 0)
      return {
        toolCalls: offered.flatMap((name) => ways.map((way) => ({ name, input: { way } }))).slice(0, 60),
      };
    return { text: `My key is ${providerKey}` };
  };
  const runId = await runWith(await environment([here, elsewhere], granting(secretId)));
  expect(echo.seen).toEqual(new Set([`Bearer ${secret}`, 'nothing at all']));
  const [first] = provider.requests;
  expect(first?.headers.authorization).toBe(`Bearer ${providerKey}`);
  await expectUntold(runId, secret, saved, providerKey);
  expect(JSON.stringify(provider.requests.map(({ body }) => body as unknown))).toContain('[hidden]');
});

test('what is saved with a server is not told either, with or without the word before it', async () => {
  const server = await evals.server({ url: echo.url(), headers: { 'X-Dock': `Bearer ${saved}` } });
  const alone = await startEcho('authorization');
  const basic = Buffer.from('user:tellnobody4b4b/word').toString('base64');
  const other = await evals.server({ url: alone.url(), headers: { Authorization: `Basic ${basic}` } });
  const ways = ['refuses', 'refuses in base64', ...Object.keys(waysToEcho)];
  provider.script = ({ body, results }) =>
    results === 0
      ? {
          toolCalls: (body.tools as { function: { name: string } }[])
            .flatMap(({ function: { name } }) => ways.map((way) => ({ name, input: { way } })))
            .slice(0, 60),
        }
      : { text: 'Done.' };
  const runId = await runWith(await environment([server, other]));
  await alone.stop();
  expect([...echo.seen]).toEqual([`Bearer ${saved}`]);
  await expectUntold(runId, saved, basic, 'user:tellnobody4b4b/word');
});

test('keys that the caller brings are not told, also when the provider repeats them', async () => {
  provider.script = () => ({ text: `You are ${ownKey}, or ${encodeURIComponent(ownKey)}` });
  const server = await evals.server();
  const runId = await runWith(await environment([server]), { modelApiKeys: { scripted: ownKey } });
  expect((await evals.read(runId)).status).toBe('completed');
  await expectUntold(runId, ownKey);
  provider.script = () => ({ status: 400, text: `Bad key ${providerKey}` });
  await expectUntold(await runWith(await environment([server])), providerKey, ownKey);
});

test('a secret that its header cannot carry is refused by its name', async () => {
  const server = await evals.server({ url: echo.url() });
  const secretId = await made('secrets', brokered({ name: 'BROKEN', value: `${secret}\r\nX-Evil: 1` }));
  const runId = await runWith(await environment([server], granting(secretId)));
  expect(await evals.read(runId)).toMatchObject({ status: 'failed', stopReason: 'setup_failed' });
  const { items } = await evals.read(runId, '/iterations');
  expect(items[0]).toMatchObject({ status: 'setup_failed', error: expect.stringContaining('BROKEN') });
  expect(provider.requests).toEqual([]);
  expect(echo.seen.size).toBe(0);
  await expectUntold(runId, secret);
});

test('a personal secret reaches only the runs that its owner starts', async () => {
  const member = await service.member('admin');
  const server = await evals.server({ url: echo.url() });
  const added = await service.post(`${evals.project}/secrets`, brokered({ sharing: 'user' }), {
    key: member.key,
  });
  expect([added.status, added.text]).toEqual([201, expect.any(String)]);
  const hostId = await made('clients', {
    name: 'personal',
    config: { modelId: scriptedModel, serverIds: [server] },
  });
  const fields = { name: 'personal', hostId, ...granting(added.body.id as string) };
  const environmentId = await made('environments', fields, member.key);
  provider.script = callThenAnswer({ name: 'echo', input: { way: 'plainly' } });
  await runWith(environmentId);
  expect([...echo.seen]).toEqual(['nothing at all']);
  echo.seen.clear();
  await runWith(environmentId, {}, { key: member.key });
  expect([...echo.seen]).toEqual([`Bearer ${secret}`]);
});

test('a secret that is rotated or deleted reaches later runs as it is then', async () => {
  const server = await evals.server({ url: echo.url() });
  const secretId = await made('secrets', brokered());
  const environmentId = await environment([server], granting(secretId));
  const path = `${evals.project}/secrets/${secretId}`;
  let rotated = false;
  provider.script = (request) => {
    if (!rotated) void service.patch(path, { value: `new ${secret}` });
    rotated = true;
    return callThenAnswer({ name: 'echo', input: { way: 'plainly' } })(request);
  };
  const first = await runWith(environmentId);
  expect([...echo.seen]).toEqual([`Bearer ${secret}`]);
  await expectUntold(first, secret);
  echo.seen.clear();
  await runWith(environmentId);
  expect([...echo.seen]).toEqual([`Bearer new ${secret}`]);
});

test('a trial that would have to do without a secret, deleted after the launch, reaches no server', async () => {
  const secretId = await made('secrets', brokered());
  const server = await evals.server({ url: echo.url() });
  const environmentId = await environment([server], granting(secretId));
  const client = await service.database.connect();
  onTestFinished(async () => {
    await client.query('drop function delete_secret cascade');
    await client.end();
  });
  await client.query(`create function delete_secret() returns trigger language plpgsql as
    $$ begin delete from secrets where id = '${secretId}'; return null; end $$`);
  await client.query(
    'create trigger delete_secret after insert on eval_trials execute function delete_secret()',
  );
  const { items } = await evals.read(await runWith(environmentId), '/iterations');
  const error = expect.stringContaining('A secret that the environment grants was deleted') as string;
  expect(items).toMatchObject([{ status: 'setup_failed', error, attempts: 1 }]);
  expect([...echo.seen]).toEqual([]);
});

test('a run that is over is delivered nothing any more', async () => {
  const secretId = await made('secrets', brokered());
  const environmentId = await environment([await evals.server({ url: echo.url() })], granting(secretId));
  const runId = await runWith(environmentId);
  const deliveredAt = async () =>
    (await service.get(`${evals.project}/secrets/${secretId}`)).body.lastDeliveredAt as number;
  const before = await deliveredAt();
  expect(before).toBeTypeOf('number');
  const runs = new RunsInProcess(service.running.services);
  await expect(runs.get(runId)).rejects.toThrow('is over');
  expect(await deliveredAt()).toBe(before);
});

test('skills and servers of plugins reach the model, and skills stay away when they are excluded', async () => {
  const { services } = service.running;
  const projectId = evals.project.split('/').at(-1) as string;
  const { id: skillId } = await addSkill(
    services.db,
    skillFiles('name: inspect\ndescription: How to inspect'),
    {
      project: projectId,
    },
  );
  const manifest = {
    name: 'harbour',
    version: '1.0.0',
    servers: { ships: { url: await service.demoUrl() } },
  };
  const { versionId } = await installPlugin(
    services,
    new Map([['plugin.json', Buffer.from(JSON.stringify(manifest))]]),
    { project: projectId },
  );
  const environmentId = await environment([await evals.server({ url: echo.url() })], {
    skillSelection: { mode: 'explicit', skillIds: [skillId] },
    pluginVersionIds: [versionId],
  });
  provider.script = ({ results }) => {
    if (results === 0) return { toolCalls: [{ name: 'listSkills', input: {} }] };
    if (results === 1) return { toolCalls: [{ name: 'loadSkill', input: { name: 'inspect' } }] };
    return results === 2 ? { toolCalls: [{ name: 'list_ships', input: {} }] } : { text: 'Done.' };
  };
  const runId = await runWith(environmentId);
  const last = JSON.stringify(provider.requests.at(-1)?.body);
  expect(last).toContain('inspect: How to inspect');
  expect(last).toContain('Do it well.');
  expect(await traceOf(runId)).toContain('Albatross');
  provider.requests.length = 0;
  await runWith(environmentId, { skillsOverride: 'exclude' });
  const names = provider.requests[0]?.body.tools.map(
    (tool: { function: { name: string } }) => tool.function.name,
  );
  expect(names).toContain('list_ships');
  expect(names).not.toContain('listSkills');
});
