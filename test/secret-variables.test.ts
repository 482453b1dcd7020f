import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../src/platform/config/load.ts';
import { confinementReached } from '../src/platform/confinement/confinement.ts';
import { type Evals, executing, promptCase, scriptedModel } from './support/evals.ts';
import { giveToCommands } from './support/for-commands.ts';
import { proberFile } from './support/prober.ts';
import { callThenAnswer, type ScriptedProvider } from './support/scripted-provider.ts';
import type { TestService } from './support/service.ts';

/** Members use commands that administrators saved; variables of theirs must not turn them into commands of their own. */

const inNamespaces = (await confinementReached(loadConfig({}).config)).level === 'namespaces';

let provider: ScriptedProvider;
let service: TestService;
let evals: Evals;
let folder: string;

executing((parts) => void ({ provider, service, evals } = parts));
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drydock-variables-'));
  await giveToCommands(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const personal = (name: string, value: string) => ({
  name,
  value,
  delivery: 'materialized',
  sharing: 'user',
});

/** A run that a member starts with secrets of their own, in an environment that they made on the fly. */
async function runAsMember(key: string, serverId: string, secretIds: string[]): Promise<string> {
  const make = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const answer = await service.post(`${evals.project}/${path}`, body, { key });
    expect([answer.status, answer.text]).toEqual([expect.toBeOneOf([200, 201, 202]), expect.any(String)]);
    return answer.body as Record<string, unknown>;
  };
  const config = { modelId: scriptedModel, serverIds: [serverId] };
  const { id: hostId } = await make('clients', { name: `client ${Math.random()}`, config });
  const secretSelection = { mode: 'explicit', secretIds };
  const { environment } = await make('environments/ensure-adhoc', { hostId, secretSelection });
  const suiteId = await evals.suite({ serverIds: [serverId], tests: [promptCase('Goes', 'Go')] });
  const { id: environmentId } = environment as { id: string };
  const { runId } = await make('eval-runs', { suiteId, environmentId, ephemeralEnvironment: true });
  await evals.follow(runId as string);
  return runId as string;
}

test('a secret of a member fills only variables that the server declares, and names no folder', async () => {
  const { key } = await service.member('member');
  const [note, other] = [join(folder, 'seen.json'), await mkdtemp(join(tmpdir(), 'drydock-other-'))];
  await giveToCommands(other);
  onTestFinished(() => rm(other, { recursive: true, force: true }));
  const server = await evals.server({
    command: process.execPath,
    args: [proberFile, folder],
    env: { API_URL: 'https://saved.example.com', SHARED: 'saved', REGION: 'saved', FOLDER: 'saved' },
    personalEnv: ['OWN_TOKEN', 'REGION', 'FOLDER'],
  });
  const own = {
    ...{ API_URL: 'https://elsewhere.example.com', API_HOST: 'elsewhere.example.com', SHARED: 'mine' },
    ...{ OWN_TOKEN: 'own', REGION: 'mine', FOLDER: other },
  };
  const secrets = [{ name: 'SHARED', value: 'granted', delivery: 'materialized' }];
  const ids: string[] = [];
  for (const secret of secrets)
    ids.push((await service.post(`${evals.project}/secrets`, secret)).body.id as string);
  for (const [name, value] of Object.entries(own))
    ids.push(
      (await service.post(`${evals.project}/secrets`, personal(name, value), { key })).body.id as string,
    );
  const code = `const fs = require('fs'); let changed = 'written';
    try { fs.writeFileSync(process.env.FOLDER + '/note', '') } catch (error) { changed = error.code }
    fs.writeFileSync(${JSON.stringify(note)}, JSON.stringify({ ...process.env, changed })) ?? 'done'`;
  provider.script = callThenAnswer({ name: 'evaluate', input: { code } });
  await runAsMember(key, server, ids);
  const seen = JSON.parse(await readFile(note, 'utf8')) as Record<string, string>;
  const { API_URL, API_HOST, OWN_TOKEN, SHARED, REGION, FOLDER, changed } = seen;
  expect({ API_URL, API_HOST, OWN_TOKEN, SHARED, REGION, FOLDER }).toEqual({
    API_URL: 'https://saved.example.com',
    API_HOST: undefined,
    OWN_TOKEN: 'own',
    SHARED: 'granted',
    REGION: 'mine',
    FOLDER: other,
  });
  expect(['EROFS', 'ENOENT', 'EACCES'].includes(String(changed)) || !inNamespaces).toBe(true);
});

test('only a command declares variables, and an administrator saves it', async () => {
  const { key } = await service.member('member');
  const path = `${evals.project}/servers`;
  const server = { name: 'declares', command: process.execPath, personalEnv: ['OWN_TOKEN'] };
  const saved = await service.post(path, server);
  expect(saved.body).toMatchObject({ personalEnv: ['OWN_TOKEN'] });
  const at = `${path}/${saved.body.id as string}`;
  expect((await service.patch(at, { personalEnv: ['API_URL'] }, { key })).status).toBe(403);
  expect((await service.patch(at, { personalEnv: ['NODE_OPTIONS'] })).body.message).toContain(
    'NODE_OPTIONS changes',
  );
  expect((await service.get(at, { key })).body).toMatchObject({ personalEnv: ['OWN_TOKEN'] });
  const url = 'https://declares.example.com/mcp';
  const atUrl = await service.post(path, { name: 'at a URL', url, personalEnv: ['OWN_TOKEN'] }, { key });
  expect([atUrl.status, atUrl.body.message]).toEqual([
    400,
    expect.stringContaining('personalEnv: Not used by'),
  ]);
  const moved = await service.patch(at, { transportType: 'http', url });
  expect([moved.status, moved.body.personalEnv]).toEqual([200, undefined]);
  const back = await service.patch(at, { transportType: 'stdio', command: process.execPath });
  expect(back.body).toMatchObject({ personalEnv: [] });
});

test('a command that ends without a variable that was not given to it says so', async () => {
  const { key } = await service.member('member');
  const server = await evals.server({
    command: process.execPath,
    // In a run only: until then it is connected to without secrets.
    args: [
      '-e',
      `process.env.IN_RUN && !process.env.NEEDED_TOKEN ? process.exit(3) : require('${proberFile}')`,
    ],
  });
  const inRun = { name: 'IN_RUN', value: 'yes', delivery: 'materialized' };
  const shared = await service.post(`${evals.project}/secrets`, inRun);
  const { body } = await service.post(`${evals.project}/secrets`, personal('NEEDED_TOKEN', 'x'), { key });
  provider.script = callThenAnswer({ name: 'evaluate', input: {} });
  const run = await runAsMember(key, server, [body.id as string, shared.body.id as string]);
  const { text } = await service.get(`${evals.project}/eval-runs/${run}/iterations`);
  expect(text).toContain('personalEnv does not list them: NEEDED_TOKEN');
});

test('a variable that makes a program run other code is refused, also when a secret becomes one later', async () => {
  const { key } = await service.member('member');
  const note = join(folder, 'ran.txt');
  const server = await evals.server({ command: process.execPath, args: [proberFile, folder] });
  const code = `import{writeFileSync}from'node:fs';writeFileSync(${JSON.stringify(note)},'ran')`;
  const value = `--import=data:text/javascript,${encodeURIComponent(code)}`;
  const path = `${evals.project}/secrets`;
  for (const name of [
    'NODE_OPTIONS',
    'LD_PRELOAD',
    'PATH',
    'PYTHONSTARTUP',
    'HTTPS_PROXY',
    'NPM_CONFIG_REGISTRY',
  ]) {
    const { status, body } = await service.post(path, personal(name, value), { key });
    expect([status, body.message]).toEqual([
      400,
      expect.stringContaining(`${name} changes what programs run`),
    ]);
  }
  expect((await service.post(path, personal('LDAP_PASSWORD', 'x'), { key })).status).toBe(201);
  const bound = { brokerHosts: ['127.0.0.1'], brokerHeader: 'X-Dock', brokerTemplate: '{}' };
  const secret = { ...personal('NODE_OPTIONS', value), delivery: 'brokered', ...bound };
  const { id } = (await service.post(path, secret, { key })).body as { id: string };
  expect((await service.patch(`${path}/${id}`, { delivery: 'materialized' }, { key })).status).toBe(200);
  await runAsMember(key, server, [id]);
  expect(existsSync(note)).toBe(false);
});
