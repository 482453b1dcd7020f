// @module-tag long
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { readJunit } from '../src/reports/junit.ts';
import { freePort } from './support/free-port.ts';
import { type Place, place } from './support/process.ts';

/**
 * The steps of the workflows in examples/ci, as they are written, in a job that has Drydock installed: what `.ci/run`
 * does for this repository is not done again for each.
 */

const examples = new URL('../examples/ci', import.meta.url).pathname;
const program = new URL('../dist/program/main.js', import.meta.url).pathname;

interface Job {
  folder: string;
  here: Place;
  /** One script in a shell of its own, as CI runs it. */
  run: (script: string) => Promise<void>;
}

async function job(env: Record<string, string>): Promise<Job> {
  const folder = await mkdtemp(join(tmpdir(), 'drydock-ci-'));
  const here = await place();
  onTestFinished(async () => {
    const pid = Number(await readFile(join(folder, 'server.pid'), 'utf8').catch(() => ''));
    if (pid > 0) process.kill(pid);
    await rm(folder, { recursive: true, force: true });
  });
  await cp(examples, folder, { recursive: true });
  const bin = join(folder, 'bin');
  await mkdir(bin);
  await chmod(program, 0o755);
  await symlink(program, join(bin, 'drydock'));
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(?:DRYDOCK|GITHUB|GITLAB|CI)|_API_KEY$/.test(name)),
  );
  return {
    folder,
    here,
    run: async (script) => {
      const child = spawn('bash', ['-e', '-o', 'pipefail', '-c', script], {
        cwd: folder,
        env: {
          ...inherited,
          DRYDOCK_DATA_DIR: here.dataDir,
          ...env,
          PORT: String(await (port ??= freePort())),
          PATH: `${bin}:${process.env['PATH']}`,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let said = '';
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => (said += text));
      const [code] = (await once(child, 'exit')) as [number | null];
      if (code !== 0) throw new Error(`${script}\nexited with ${code}:\n${said}`);
    },
  };
}

/** Shared by all steps of a job. */
let port: Promise<number> | undefined;

async function junitIn(folder: string, name: string): Promise<string[]> {
  return readJunit(await readFile(join(folder, 'reports', name), 'utf8')).map(
    (one) => `${one.name}: ${one.result}`,
  );
}

const cases = [
  'Lists ships: passed',
  'Inspects the hull of a ship by its name: passed',
  'The tool adds, without a model: passed',
  'Calls no tool when none is asked for: passed',
];

test('the workflow for GitHub checks a server and evaluates it', async () => {
  port = undefined;
  const commitSha = 'c'.repeat(40);
  const { folder, here, run } = await job({
    GITHUB_ACTIONS: 'true',
    GITHUB_SHA: commitSha,
    GITHUB_REF_NAME: 'main',
    GITHUB_STEP_SUMMARY: join(tmpdir(), `drydock-summary-${process.pid}.md`),
  });
  const summary = join(tmpdir(), `drydock-summary-${process.pid}.md`);
  await writeFile(summary, '');
  onTestFinished(() => rm(summary, { force: true }));
  const workflow = parse(await readFile(join(examples, '.github/workflows/mcp-server.yml'), 'utf8')) as {
    jobs: { drydock: { steps: { name?: string; uses?: string; run?: string }[] } };
  };
  const steps = workflow.jobs.drydock.steps.filter(
    ({ name, run: script }) => script !== undefined && name !== 'Install Drydock',
  );
  expect(steps.map(({ name }) => name)).toEqual(['Start the server', 'Check its contract', 'Evaluate it']);
  for (const { run: script = '' } of steps) await run(script);
  expect(await junitIn(folder, 'contract.xml')).toEqual(['unchanged: passed']);
  expect(await junitIn(folder, 'evals.xml')).toEqual(cases);
  const { id, ciMetadata, launcher } = JSON.parse(
    await readFile(join(folder, 'reports/evals.json'), 'utf8'),
  ) as Record<string, unknown>;
  expect(ciMetadata).toEqual({ provider: 'github', branch: 'main', commitSha });
  expect(launcher).toMatchObject({ kind: 'github_action', client: 'drydock' });
  const shown = await readFile(summary, 'utf8');
  expect(shown).toContain('## ✅ Contract of harbour');
  expect(shown).toContain('## ✅ Evals of Harbour');
  // The run of the job can be shown again and replayed.
  const again = await here.run(['evals', 'replay', String(id)]);
  expect(again.stdout).toContain('PASSED');
});

test('so does the one for GitLab', { tags: ['long'] }, async () => {
  port = undefined;
  const { folder, run } = await job({ GITLAB_CI: 'true', CI_COMMIT_SHA: 'd'.repeat(40) });
  const pipeline = parse(await readFile(join(examples, '.gitlab-ci.yml'), 'utf8')) as {
    'mcp-server': { script: string[] };
  };
  await run(pipeline['mcp-server'].script.join('\n'));
  expect(await junitIn(folder, 'contract.xml')).toEqual(['unchanged: passed']);
  expect(await junitIn(folder, 'evals.xml')).toEqual(cases);
  expect(await readFile(join(folder, 'reports/evals.md'), 'utf8')).toContain('PASSED');
});
