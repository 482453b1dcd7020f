import { afterAll, beforeAll, expect, test } from 'vitest';
import { Evals, promptCase } from './support/evals.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';
import { typed } from './support/surfaces.ts';

/** Output of operations that answer with hundreds of fields: short for people, complete for scripts. */
let service: TestService;
let evals: Evals;
const tests = Array.from({ length: 12 }, (_, nth) =>
  promptCase(`Adds ${nth}`, 'Add the numbers 12, 30 and 8.', { type: 'responseContains', needle: '50' }),
);
let suiteId: string;

beforeAll(async () => {
  service = await startTestService();
  evals = await Evals.of(service, 'Fleet');
  const serverId = await evals.server({ name: 'harbour' });
  suiteId = await evals.suite({ name: 'Sums', serverIds: [serverId], model: 'drydock/rehearsal', tests });
});
afterAll(() => dispose(service));

const run = (...words: string[]) => typed([...words, '--project', 'Fleet'], service, service.key);
const linesOf = (text: string): string[] => text.trimEnd().split('\n');

test('servers doctor shows the checks as a table, first, and exits 1 when the server is not usable', async () => {
  const { stdout, code } = await run('servers', 'doctor', 'harbour');
  expect(code).toBeUndefined();
  const lines = linesOf(stdout);
  expect(lines.slice(0, 3)).toEqual([
    'harbour is ready.',
    '',
    expect.stringMatching(/^Check +Status +Detail$/),
  ]);
  expect(lines.length).toBeLessThan(25);
  expect(stdout).toMatch(/^connection +ok +Connected/m);
  expect(stdout).toMatch(/^Tools +.*list_ships/m);
  const json = await run('servers', 'doctor', 'harbour', '--json');
  expect(JSON.parse(json.stdout)).toHaveProperty('checks.connection.status', 'ok');
  await evals.server({ name: 'away', url: 'http://127.0.0.1:9/mcp' });
  expect(await run('servers', 'doctor', 'away')).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^away is not usable\.\n/),
  });
});

test.each([
  ['Albatross', undefined],
  ['Nowhere', 1],
])('servers call of a tool about %s exits with %s', async (ship, code) => {
  const parameters = JSON.stringify({ ship });
  const words = ['servers', 'call', 'harbour', '--tool-name', 'inspect_hull', '--parameters', parameters];
  const { stdout, code: ended } = await run(...words, '--json');
  expect(JSON.parse(stdout).isError ?? false).toBe(code === 1);
  expect(ended).toBe(code);
  expect((await run(...words)).code).toBe(code);
});

test('eval-runs compare shows changed cases as a table, and the rest by their number', async () => {
  const first = await evals.launch({ suiteId });
  await evals.follow(first);
  const { body } = await service.get(`${evals.project}/eval-suites/${suiteId}/cases`);
  const [one] = body.items as { id: string }[];
  const [changed] = [promptCase('Adds 0', 'Add 1 and 2.', { type: 'responseContains', needle: '50' })];
  await service.patch(`${evals.project}/eval-suites/${suiteId}/cases/${one?.id}`, {
    steps: (changed as { steps: unknown }).steps,
  });
  const second = await evals.launch({ suiteId });
  await evals.follow(second);
  const against = ['--base-run-id', first];
  const { stdout } = await run('eval-runs', 'compare', second, ...against);
  expect(linesOf(stdout).length).toBeLessThan(15);
  expect(stdout).toContain(`(${second}) compared with run 1 (${first}).`);
  expect(stdout).toMatch(/^Adds 0 +changed +1\/1 +0\/1/m);
  expect(stdout).toContain('11 of 12 cases unchanged.');
  expect(
    JSON.parse((await run('eval-runs', 'compare', second, ...against, '--json')).stdout).cases,
  ).toHaveLength(12);
});

test('a contract that has no baseline is refused with the remedy for that', async () => {
  const { stderr, code } = await run('servers', 'check-contract', 'harbour');
  expect(code).toBe(2);
  expect(stderr).toContain('No contract baseline is saved for this server.');
  expect(stderr).toContain('Save a baseline of the server: drydock check SERVER --update');
});
