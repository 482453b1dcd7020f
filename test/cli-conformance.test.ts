// @module-tag long
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { serveDemoHttp } from '../src/demo-server/http.ts';
import { place } from './support/process.ts';
import { startWidgetServer } from './targets/widgets.ts';

const key = `sk_${'conform'.repeat(6)}`;

test('a server is checked from the command line, and the exit code says how it went', async () => {
  const [demo, widgets] = [await serveDemoHttp(0, 'test'), await startWidgetServer()];
  onTestFinished(() => demo.stop());
  onTestFinished(() => widgets.stop());
  const folder = await mkdtemp(join(tmpdir(), 'drydock-conformance-cli-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const here = await place();
  const service = await here.serve({ DRYDOCK_BOOTSTRAP_KEY: key });
  const env = { DRYDOCK_API_KEY: key, GITHUB_STEP_SUMMARY: '' };
  const over = (...args: string[]) =>
    here.run(['conformance', ...args, '--service', new URL(service.baseUrl).origin], env);

  expect((await over('--suite', 'protocol')).code).toBe(2);
  expect((await over('--server', demo.url, '--suite', 'oauth')).code).toBe(2);

  const begun = await over('--server', demo.url, '--suite', 'tasks');
  expect(begun).toMatchObject({ code: 0, stdout: expect.stringMatching(/^cfr_\w+\n$/) });

  const passed = await over('--server', demo.url, '--suite', 'protocol', '--wait');
  expect(passed).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^PASSED: score 100, \d+ passed, 0 failed/),
  });
  expect(passed.stderr).toContain('protocol: passed');

  const file = join(folder, 'out.xml');
  const failed = await over('--server', widgets.url, '--suite', 'apps', 'tasks', '--wait', '--junit', file);
  expect(failed.code).toBe(1);
  expect(failed.stdout).toMatch(
    /^Result +Suite +Check +Why\nfailed +apps +The interface can be read +No such resource\n/,
  );
  expect(failed.stdout).toContain('FAILED: score');
  expect(await readFile(file, 'utf8')).toContain('<failure message="No such resource">');

  const gone = await over('--server', 'http://127.0.0.1:9/mcp', '--suite', 'apps', '--wait', '--json');
  expect(gone.code).toBe(3);
  expect(JSON.parse(gone.stdout)).toMatchObject({ run: { outcome: 'incomplete', status: 'completed' } });
});
