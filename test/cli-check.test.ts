// @module-tag long
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readJunit } from '../src/reports/junit.ts';
import { place } from './support/process.ts';
import { startChanging } from './targets/changing.ts';

const key = `sk_${'check'.repeat(8)}`;
const annotations = { readOnlyHint: true };
const look = { name: 'look', description: 'Looks.', inputSchema: { type: 'object' }, annotations };

test('a server is checked against a file and against what is saved, and the exit code says how it went', async () => {
  const target = await startChanging({ tools: [look, { ...look, name: 'leave' }] });
  onTestFinished(() => target.stop());
  const folder = await mkdtemp(join(tmpdir(), 'drydock-check-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const inFolder = (name: string): string => join(folder, name);
  const file = inFolder('baseline.json');
  const here = await place();
  const service = await here.serve({ DRYDOCK_BOOTSTRAP_KEY: key });
  const origin = new URL(service.baseUrl).origin;
  const summary = inFolder('summary.md');
  const env = { DRYDOCK_API_KEY: key, GITHUB_STEP_SUMMARY: summary };
  const over = (...args: string[]) => here.run([...args, '--service', origin], env);
  const host = new URL(target.url).host;

  const missing = await over('check', target.url, '--baseline', file);
  expect(missing).toMatchObject({ code: 2, stdout: '' });
  expect(missing.stderr).toContain(`drydock check ${target.url} --baseline ${file} --update`);
  expect((await over('check', target.url, '--fail-on', 'anything')).code).toBe(2);

  const updated = await over('check', target.url, '--baseline', file, '--update');
  expect(updated).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(`Wrote ${file}: ${host} with 2 tools`),
  });
  const written = await readFile(file, 'utf8');
  expect(Object.keys(JSON.parse(written))).not.toContain('exportedAt');
  await over('check', host, '--baseline', file, '--update');
  expect(await readFile(file, 'utf8')).toBe(written);

  const passed = await over('check', host, '--baseline', file);
  expect(passed).toMatchObject({
    code: 0,
    stdout: 'PASSED: no changes since the baseline.\n',
    stderr: `Checking ${host}\n`,
  });
  const unsaved = await over('check', host);
  expect(unsaved.code).toBe(2);
  expect(unsaved.stderr).toContain(`${host} has no baseline.`);
  expect((await over('check', host, '--update')).code).toBe(0);

  target.now.tools = [{ ...look, description: 'Looks <b>twice</b> | `now`\u001b[2J' }];
  const [json, junit, markdown] = ['out.json', 'out.xml', 'out.md'].map(inFolder) as [string, string, string];
  const outputs = ['--json', json, '--junit', junit, '--markdown', markdown];
  const failed = await over('check', host, '--baseline', file, ...outputs);
  expect(failed.code).toBe(1);
  expect(failed.stdout).toMatch(
    /^Impact +Where +What\nbreaking +tool leave \/tools\/0 +The tool leave was removed\n/,
  );
  expect(failed.stdout).toContain('FAILED: 1 breaking, 1 risky, 0 safe.');
  expect(failed.stdout).not.toContain('\u001b');
  expect(JSON.parse(await readFile(json, 'utf8'))).toMatchObject({
    result: 'failed',
    counts: { breaking: 1 },
  });
  expect(readJunit(await readFile(junit, 'utf8'))).toMatchObject([
    { name: 'tool leave', result: 'failed' },
    { name: 'tool look', result: 'passed' },
  ]);
  const shown = await readFile(markdown, 'utf8');
  expect(shown).toContain('| breaking | tool leave /tools/0 | The tool leave was removed |');
  expect(shown).not.toContain('<b>');
  expect((await readFile(summary, 'utf8')).endsWith(shown)).toBe(true);
  const stray = (await readdir(folder)).filter((name) => name.endsWith('.tmp'));
  expect(stray).toEqual([]);

  target.now.tools = [
    { ...look, description: 'Looks twice.' },
    { ...look, name: 'leave' },
  ];
  expect((await over('check', host)).code).toBe(0);
  expect((await over('check', host, '--fail-on', 'risky')).code).toBe(1);
  const printed = await here.run(['check', host, '--json', '-']);
  expect(printed.code).toBe(0);
  expect(JSON.parse(printed.stdout)).toMatchObject({ result: 'passed', baseline: { source: 'saved' } });

  await target.stop();
  const unreachable = await over('check', host, '--junit', junit);
  expect(unreachable).toMatchObject({ code: 3, stdout: '' });
  expect(await readFile(junit, 'utf8')).toContain('errors="1"');
  await service.end();
  expect((await over('check', host)).code).toBe(4);
});

test('the calls of a run are made again', async () => {
  const target = await startChanging({ tools: [look] });
  onTestFinished(() => target.stop());
  const here = await place();
  const service = await here.serve({ DRYDOCK_BOOTSTRAP_KEY: key });
  const ask = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${service.baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    expect(response.ok, `${method} ${path}`).toBe(true);
    return response;
  };
  // oxlint-disable-next-line typescript/no-explicit-any
  const made = async (...request: Parameters<typeof ask>): Promise<any> => (await ask(...request)).json();
  const project = `/projects/${(await made('GET', '/projects')).items[0].id}`;
  const server = await made('POST', `${project}/servers`, { name: 'harbour', url: target.url });
  const { suiteId } = await made('POST', `${project}/eval-suites`, {
    name: 'calls',
    serverIds: [server.id],
    model: 'drydock/rehearsal',
    tests: [
      {
        title: 'looks',
        steps: [
          { id: '1', kind: 'toolCall', serverName: 'harbour', toolName: 'look', arguments: { at: 'bow' } },
        ],
      },
    ],
  });
  const { runId } = await made('POST', `${project}/eval-runs`, { suiteId });
  await (await ask('GET', `${project}/eval-runs/${runId}/events`)).text();

  const same = await here.run(['evals', 'replay', runId]);
  expect(same).toMatchObject({ code: 0, stdout: 'PASSED: 1 calls, 1 same.\n' });
  target.now.call = () => ({ content: [{ type: 'text', text: 'no ship' }], isError: true });
  const failed = await here.run(['evals', 'replay', runId]);
  expect(failed.code).toBe(1);
  expect(failed.stdout).toMatch(/error +look \{"at":"bow"\} +The call failed; it did not before: no ship/);
  await target.stop();
  expect((await here.run(['evals', 'replay', runId, '--json', '-'])).code).toBe(3);
  expect((await here.run(['evals', 'replay', 'run_nobody'])).code).toBe(2);
});
