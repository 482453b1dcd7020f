import { setTimeout as delay } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import type { Client } from '../../client/index.ts';
import { oneLine } from '../../harmless-text.ts';
import {
  conformanceReport,
  type Failures,
  printConformance,
  type Run,
} from '../checks/conformance-report.ts';
import { serverNamed } from '../checks/server-named.ts';
import type { PlaceOptions } from '../connect/place.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Host } from '../host.ts';
import { followUnlessInterrupted } from '../interrupt.ts';
import { placeOptions, reportOptions } from '../reports/options.ts';
import { printsJson, type ReportFiles, writeReports } from '../reports/write.ts';
import { progress } from '../screen/screen.ts';

type Suite = 'protocol' | 'apps' | 'tasks';

interface ConformanceOptions extends ReportFiles, PlaceOptions {
  server: string;
  suite?: Suite[];
  protocolVersion?: string;
  wait?: true;
}

/** Milliseconds between two looks at a run. */
const lookAgain = 1_000;

export function conformanceCommand(program: Command, host: Host): void {
  const command = program
    .command('conformance')
    .description(
      'check how well a server follows the protocol; exits 0 passed, 1 failed, 3 when it could not be found out',
    )
    .requiredOption('--server <server>', 'server to check, by id, name or URL')
    .addOption(
      new Option('--suite <suite...>', 'only these; all when left out').choices([
        'protocol',
        'apps',
        'tasks',
      ]),
    )
    .option('--protocol-version <revision>', 'revision to grade; left out, the one that both sides agree on')
    .option('--wait', 'follow the run and show which checks failed');
  reportOptions(placeOptions(command)).action(async (options: ConformanceOptions) => {
    process.exitCode = await host.withApi(options, (api, projectId) => check(api, projectId, options));
  });
}

async function check(api: Client, projectId: string, options: ConformanceOptions): Promise<number> {
  const { suite: suites, protocolVersion, wait } = options;
  const server = await serverNamed(api, projectId, options.server);
  const body = { ...(suites && { suites }), ...(protocolVersion !== undefined && { protocolVersion }) };
  const { runId } = await api.startConformanceRun({ projectId, serverId: server.id, body });
  const quiet = printsJson(options);
  if (!wait) {
    process.stdout.write(quiet ? `${JSON.stringify({ runId })}\n` : `${runId}\n`);
    return exitCodes.passed;
  }
  const which = { projectId, conformanceRunId: runId };
  await followUnlessInterrupted(`drydock conformance-runs cancel ${runId}`, (signal) =>
    follow(() => api.getConformanceRun(which), quiet, signal),
  );
  const run = await api.getConformanceRun(which);
  const failures = run.suites.some(({ status }) => status === 'completed')
    ? await api.getConformanceReport(which)
    : undefined;
  return tell(oneLine(server.name, 200), run, failures, options);
}

/** Says of each suite when it begins and how it went. */
async function follow(read: () => Promise<Run>, quiet: boolean, signal: AbortSignal): Promise<void> {
  const { say, end } = quiet ? { say: () => {}, end: () => {} } : progress();
  const said = new Set<string>();
  try {
    for (;;) {
      const run = await read();
      const fresh = linesOf(run).filter((line) => !said.has(line));
      for (const line of fresh) say(line);
      for (const line of fresh) said.add(line);
      if (run.completedAt !== null) return;
      await delay(lookAgain, undefined, { signal });
    }
  } finally {
    end();
  }
}

function linesOf({ status, suites }: Run): string[] {
  if (status === 'pending') return ['Waiting for its turn'];
  return suites.flatMap(({ suiteKind, status: state, outcome }) => {
    if (state === 'running') return [`Running ${suiteKind}`];
    return state === 'completed' ? [`${suiteKind}: ${outcome}`] : [];
  });
}

async function tell(
  server: string,
  run: Run,
  failures: Failures | undefined,
  options: ConformanceOptions,
): Promise<number> {
  if (!printsJson(options)) printConformance(run, failures);
  await writeReports(conformanceReport(server, run, failures), { run, report: failures ?? null }, options);
  return exitCodes[run.outcome ?? 'incomplete'];
}
