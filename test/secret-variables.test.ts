import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Evals, executing, promptCase, scriptedModel } from './support/evals.ts';
import { proberFile } from './support/prober.ts';
import { callThenAnswer, type ScriptedProvider } from './support/scripted-provider.ts';
import type { TestService } from './support/service.ts';

/** Members use commands that administrators saved; variables of theirs must not turn them into commands of their own. */

let provider: ScriptedProvider;
let service: TestService;
let evals: Evals;
let folder: string;

executing((parts) => void ({ provider, service, evals } = parts));
beforeAll(async () => {
  folder = await mkdtemp(join(homedir(), '.drydock-variables-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const personal = (name: string, value: string) => ({
  name,
  value,
  delivery: 'materialized',
  sharing: 'user',
});

/** A run that a member starts with secrets of their own, in an environment that they made on the fly. */
async function runAsMember(key: string, serverId: string, secretIds: string[]): Promise<void> {
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
}

test('a secret of a member is a variable beside those that were saved with the command, not instead of them', async () => {
  const { key } = await service.member('member');
  const note = join(folder, 'seen.json');
  const server = await evals.server({
    command: process.execPath,
    args: [proberFile, folder],
    env: { API_URL: 'https://saved.example.com', SHARED: 'saved' },
  });
  const secrets = [
    await service.post(`${evals.project}/secrets`, personal('API_URL', 'https://elsewhere.example.com'), {
      key,
    }),
    await service.post(`${evals.project}/secrets`, personal('OWN_TOKEN', 'own'), { key }),
    await service.post(`${evals.project}/secrets`, {
      name: 'SHARED',
      value: 'granted',
      delivery: 'materialized',
    }),
  ];
  const code = `require('fs').writeFileSync(${JSON.stringify(note)}, JSON.stringify(process.env)) ?? 'done'`;
  provider.script = callThenAnswer({ name: 'evaluate', input: { code } });
  await runAsMember(
    key,
    server,
    secrets.map(({ body }) => body.id as string),
  );
  const { API_URL, OWN_TOKEN, SHARED } = JSON.parse(await readFile(note, 'utf8')) as Record<string, string>;
  expect({ API_URL, OWN_TOKEN, SHARED }).toEqual({
    API_URL: 'https://saved.example.com',
    OWN_TOKEN: 'own',
    SHARED: 'granted',
  });
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
