import { type Command, Option } from 'commander';
import type { Client } from '../../client/index.ts';
import { oneLine } from '../../common/harmless-text.ts';
import { type ConformanceRun, conformanceNotes, conformanceReport } from '../checks/conformance-report.ts';
import type { LocationOptions } from '../connect/service-location.ts';
import { exitCodes } from '../exit-codes.ts';
import { serverNamed } from '../find.ts';
import { pollRun } from '../follow.ts';
import type { Host } from '../host.ts';
import { placeOptions, reportOptions } from '../options.ts';
import { printReport } from '../reports/print.ts';
import { printRunId, publishReport, type ReportFiles } from '../reports/write.ts';

type Suite = 'protocol' | 'apps' | 'tasks';

interface ConformanceOptions extends ReportFiles, LocationOptions {
  server: string;
  suite?: Suite[];
  protocolVersion?: string;
  wait?: true;
}

export function conformanceCommand(program: Command, host: Host): void {
  const command = program
    .command('conformance')
    .description('Check the protocol conformance of a server; exits 0 passed, 1 failed, 3 without a verdict')
    .requiredOption('--server <server>', 'Server to check, by ID, name or URL')
    .addOption(
      new Option('--suite <suite...>', 'Run only these suites (default: all)').choices([
        'protocol',
        'apps',
        'tasks',
      ]),
    )
    .option('--protocol-version <revision>', 'Protocol revision to check (default: the negotiated one)')
    .option('--wait', 'Wait for the run and print the failed checks');
  reportOptions(placeOptions(command)).action(async (options: ConformanceOptions) => {
    process.exitCode = await host.withApi(options, (api, projectId) => check(api, projectId, options));
  });
}

async function check(api: Client, projectId: string, options: ConformanceOptions): Promise<number> {
  const { suite: suites, protocolVersion, wait } = options;
  const server = await serverNamed(api, projectId, options.server);
  const body = { ...(suites && { suites }), ...(protocolVersion !== undefined && { protocolVersion }) };
  const { runId } = await api.startConformanceRun({ projectId, serverId: server.id, body });
  if (!wait) {
    printRunId(runId, options);
    return exitCodes.passed;
  }
  const which = { projectId, conformanceRunId: runId };
  const run = await pollRun(
    `drydock conformance-runs cancel ${runId}`,
    (signal) => api.getConformanceRun(which, { signal }),
    ({ completedAt }) => completedAt !== null,
    linesOf,
  );
  const failures = run.suites.some(({ status }) => status === 'completed')
    ? await api.getConformanceReport(which)
    : undefined;
  const report = conformanceReport(oneLine(server.name, 200), run, failures);
  await publishReport(report, { run, report: failures ?? null }, options, () =>
    printReport(report, conformanceNotes(run, failures)),
  );
  return exitCodes[run.outcome ?? 'incomplete'];
}

function linesOf({ status, suites }: ConformanceRun): string[] {
  if (status === 'pending') return ['Queued'];
  return suites.flatMap(({ suiteKind, status: state, outcome }) => {
    if (state === 'running') return [`Running ${suiteKind}`];
    return state === 'completed' ? [`${suiteKind}: ${outcome}`] : [];
  });
}
