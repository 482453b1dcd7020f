// @module-tag long
import { expect, test } from 'vitest';
import { operationList } from '../src/contract/index.ts';
import { operationManifest } from '../src/surfaces/cli/operations/manifest.ts';
import { type Outcome, type Place, place } from './support/process.ts';
import { Terminal } from './support/terminal.ts';

const key = `sk_${'journeys'.repeat(5)}`;

function rubricFor(toolName: string): string {
  const predicate = { type: 'toolCalledAtLeastOnce', toolName };
  return JSON.stringify({ criteria: [{ id: 'calls', label: `Calls ${toolName}`, predicate }] });
}

/** A persona, a client that has the demo server, and an environment; answers how journeys are made. */
async function harbour(
  here: Place,
): Promise<(name: string, sessions: string, ...more: string[]) => Promise<void>> {
  const made = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await here.run(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout.trim();
  };
  const server = await made('servers', 'get', 'demo', '--jq', '.id');
  const config = JSON.stringify({ modelId: 'drydock/rehearsal', serverIds: [server] });
  await made('clients', 'create', '--name', 'desk', '--config', config);
  await made('environments', 'create', '--name', 'night', '--host', 'desk');
  await made('personas', 'create', '--name', 'Ada', '--role', 'harbour master in a hurry');
  return async (name, sessions, ...more) => {
    const what = ['--name', name, '--goal', 'List the ships.', '--persona', 'Ada', '--host', 'desk'];
    const size = ['--sessions-per-target', sessions, '--max-turns', '3'];
    await made('journeys', 'create', ...what, ...size, ...more);
  };
}

test('a journey is launched, followed and shown, and its verdict is the exit code', async () => {
  const here = await place();
  const service = await here.serve({ DRYDOCK_BOOTSTRAP_KEY: key });
  const journey = await harbour(here);
  const origin = new URL(service.baseUrl).origin;
  const run = (...args: string[]): Promise<Outcome> => here.run(['journeys', 'run', ...args]);
  await journey('Ships', '2', '--rubric', rubricFor('list_ships'));
  await journey('Weather', '2', '--rubric', rubricFor('weather'));
  await journey('Ungraded', '2');

  const passed = await run('ships', '--wait');
  expect(passed.code).toBe(0);
  expect(passed.stderr).toMatch(
    /^1\/2 succeeded: desk, session 1, \d turns?\n2\/2 succeeded: desk, session 2/,
  );
  const [head, row] = passed.stdout.split('\n');
  expect(head).toMatch(/^Target +Model +Succeeded +Failed +Limited +Passed +Needs +Verdict$/);
  expect(row).toMatch(/^desk +drydock\/rehearsal +2\/2 +0 +0 +2\/2 +80% +passed$/);
  expect(passed.stdout).toMatch(/Calls list_ships +2 +0 +0 +100% +34.2% to 100%/);
  expect(passed.stdout).toContain('\nPASSED (1 of 1 targets passed)\n');
  const address = passed.stdout.trim().split('\n').at(-1) as string;
  expect(address.startsWith(`${origin}/console/projects/prj_`)).toBe(true);
  expect(address).toMatch(/\/swarms\/runs\/jrun_\w+$/);

  const failed = await run('Weather', '--wait');
  expect(failed.code).toBe(1);
  expect(failed.stdout).toContain(
    'New: a criterion is not met (criterion "Calls weather"), in 2 of 2 sessions\n',
  );
  expect(failed.stdout).toContain('FAILED (0 of 1 targets passed)\n');

  // Findings of earlier waves are not new. The JSON is one document with the environment and the wave.
  const again = await run('Weather', '--env', 'night', '--wave', 'monday', '--wait', '--json');
  expect({ code: again.code, stderr: again.stderr }).toEqual({ code: 1, stderr: '' });
  expect(JSON.parse(again.stdout)).toMatchObject({
    waveId: 'monday',
    targets: [{ environmentName: 'night' }],
    report: { verdict: 'failed' },
    scorecard: { criteria: [{ id: 'calls', failCount: 2 }] },
    findings: [],
    consoleUrl: expect.stringContaining(`${origin}/console/projects/`),
  });

  const undecided = await run('Ungraded', '--wait');
  expect(undecided.code).toBe(3);
  expect(undecided.stdout).toContain('NO VERDICT: grading is not configured.');

  const unknown = await run('Shipz', '--wait');
  expect(unknown).toMatchObject({
    code: 2,
    stdout: '',
    stderr: 'drydock: No journey named "Shipz". Did you mean "Ships"?\n',
  });
  const once = await run('Ships', '--idempotency-key', 'first');
  expect(await run('Ships', '--idempotency-key', 'first')).toEqual(once);
  expect(once).toMatchObject({ code: 0, stdout: expect.stringMatching(/^jrun_\w+\n$/) });

  await journey('Long', '100');
  const env = { ...here.env, DRYDOCK_PORT: new URL(origin).port };
  const terminal = Terminal.drydock(['journeys', 'run', 'Long', '--wait'], { env, columns: 100 });
  await terminal.shows(/desk {2}\[=* *\] \d+\/100 done, \d+ running, 0 failed, \d+ turn/);
  terminal.type('\u0003');
  expect(await terminal.ended()).toBe(130);
  const [, cancel = ''] = /To cancel it: drydock (journey-runs cancel jrun_\w+)/.exec(terminal.screen) ?? [];
  const cancelled = await here.run([...cancel.split(' '), '--json']);
  expect(JSON.parse(cancelled.stdout)).toMatchObject({ canceled: true, alreadyCanceled: false });

  await service.end();
  const nobody = await here.run(['journeys', 'run', 'Ships', '--service', origin], { DRYDOCK_API_KEY: key });
  expect(nobody.code).toBe(4);
  const alone = await run('Ships', '--wait');
  expect(alone.code).toBe(0);
  expect(alone.stdout).toContain('PASSED (1 of 1 targets passed)');
});

test('later names can be called, and are in no list of commands', async () => {
  const here = await place();
  const hidden = operationManifest.commands.filter(({ id }) =>
    operationList.some((operation) => operation.id === id && operation.alias),
  );
  expect(hidden.map(({ group, verb }) => `${group} ${verb}`)).toContain('journey-runs stop');
  const overview = (await here.run(['--help'])).stdout;
  expect(overview).toMatch(/^ {2}journey-runs +get, cancel, /m);
  expect(overview).not.toMatch(/^ {2}(goals|goal-runs|goal-findings|swarm-runs) /m);
  expect((await here.run(['journey-runs', '--help'])).stdout).not.toMatch(/^ {2}stop /m);
  const completion = (await here.run(['completion', 'bash'])).stdout;
  expect(completion).toContain("journey-runs) words='cancel get ");
  expect(completion).not.toMatch(/\bgoals\b|\bgoal-runs\b|'journey-runs stop'/);
  await here.serve({ DRYDOCK_BOOTSTRAP_KEY: key });
  expect(await here.run(['goals', 'list', '--json'])).toMatchObject({ code: 0 });
  expect((await here.run(['journey-runs', 'stop', 'jrun_none', '--yes'])).stderr).toContain('(NOT_FOUND)');
});
