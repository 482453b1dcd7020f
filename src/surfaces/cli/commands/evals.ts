import type { Command } from 'commander';
import type { Client } from '../../client/index.ts';
import { findingsOf } from '../../findings/run-findings.ts';
import { runReport, type TraceOf } from '../../findings/run-report.ts';
import { launchHeaders } from '../ci/detect.ts';
import type { Where } from '../connect/connect.ts';
import type { LocationOptions } from '../connect/service-location.ts';
import { followRun } from '../evals/follow.ts';
import { exitCodeOf, printFindings } from '../evals/print-findings.ts';
import type { LocalSuite } from '../evals/suite-file.ts';
import { exitCodes } from '../exit-codes.ts';
import { suiteNamed } from '../find.ts';
import type { Host } from '../host.ts';
import { followUnlessInterrupted } from '../interrupt.ts';
import { placeOptions, prints, reportOptions } from '../options.ts';
import { printRunId, printsJson, publishReport, type ReportFiles } from '../reports/write.ts';
import { time } from '../screen/text.ts';
import { evalFileCommands } from './eval-files.ts';
import { replayCommand } from './replay.ts';
import { reportCommand } from './report.ts';

interface RunOptions extends LocationOptions, ReportFiles {
  wait?: true;
  model?: string;
  environment?: string;
  iterations?: string;
  case?: string[];
  notes?: string;
  approveImports?: string;
  updateServers?: true;
}

export function evalCommands(program: Command, host: Host): void {
  const group = program.command('evals');
  runCommand(group, host);
  showCommand(group, host);
  replayCommand(group, host);
  reportCommand(group, host);
  listCommand(group, host);
  evalFileCommands(group, host);
}

function runCommand(group: Command, host: Host): void {
  const command = group
    .command('run <suite>')
    .description(
      'Run a suite, by ID, name or suite file, which is synced first. A file that declares its servers needs no service: a temporary one runs it. Exits 0 passed, 1 failed, 3 without a verdict',
    )
    .option('--wait', 'Wait for the run and print its verdict')
    .option('--model <model>', 'Run all cases with this model')
    .option('--environment <id>', 'Environment to run in')
    .option('--iterations <count>', 'Trials per case')
    .option('--case <id...>', 'Run only these cases')
    .option('--notes <text>', 'Notes stored with the run')
    .option('--update-servers', 'Update saved servers from the suite file')
    .option('--approve-imports <reason>', 'Run cases that were imported approximately');
  reportOptions(placeOptions(command)).action(async (suite: string, options: RunOptions) => {
    const { isSuiteFile, localSuite } = await import('../evals/suite-file.ts');
    // An invalid file fails before a service is contacted or created.
    const file = isSuiteFile(suite) ? await localSuite(suite, process.env) : undefined;
    const run = async (api: Client, projectId: string, where: Where): Promise<number> => {
      const quiet = printsJson(options);
      const runId = await launch(api, projectId, file ?? suite, options, quiet);
      const which = { projectId, runId };
      if (!options.wait && where.kind !== 'temporary') {
        printRunId(runId, options);
        return exitCodes.passed;
      }
      const follow = (signal: AbortSignal) =>
        followRun(api, which, quiet ? undefined : process.stderr, signal);
      await followUnlessInterrupted(`drydock eval-runs cancel ${runId}`, follow, where.kind);
      return publishFindings(api, which, where, options);
    };
    // A file that declares its servers can run in a temporary installation.
    const otherwise = file && file.servers.length > 0 ? 'temporary' : 'make';
    process.exitCode = await host.withApi(options, run, { otherwise });
  });
}

async function launch(
  api: Client,
  projectId: string,
  suite: LocalSuite | string,
  options: RunOptions,
  quiet: boolean,
): Promise<string> {
  const { approvedImports, saveServers, syncSuiteFile } = await import('../evals/suite-file.ts');
  const screen = quiet ? undefined : process.stderr;
  if (typeof suite !== 'string')
    await saveServers(api, projectId, suite, { update: options.updateServers === true, screen });
  const { id: suiteId } =
    typeof suite === 'string'
      ? await suiteNamed(api, projectId, suite)
      : await syncSuiteFile(api, projectId, suite, screen);
  const reason = options.approveImports;
  const importApprovals =
    reason === undefined ? [] : await approvedImports(api, { projectId, suiteId }, reason);
  const body = { suiteId, ...(importApprovals.length > 0 && { importApprovals }), ...wished(options) };
  const { runId } = await api.createEvalRun({ projectId, body }, { headers: launchHeaders(process.env) });
  return runId;
}

/** Prints the findings of a run, writes its reports, and returns the exit code. */
async function publishFindings(
  api: Client,
  run: { projectId: string; runId: string },
  where: Where,
  files: ReportFiles,
): Promise<number> {
  const findings = await findingsOf(api, run);
  const traceOf = tracesAt(run.projectId, where);
  const { run: shown, ...rest } = findings;
  await publishReport(runReport(findings, traceOf), { ...shown, ...rest }, files, () =>
    printFindings(findings, traceOf),
  );
  const code = exitCodeOf(findings);
  if (where.kind === 'temporary' && code !== exitCodes.passed && !printsJson(files))
    process.stderr.write(
      'The traces were not kept. To keep them, set DRYDOCK_DATA_DIR=.drydock and run again.\n',
    );
  return code;
}

/** The console page of a trace, or the command that prints it where no service runs. */
function tracesAt(projectId: string, { kind, origin }: Where): TraceOf | undefined {
  if (kind === 'temporary') return undefined;
  return ({ runId, iterationId }) =>
    kind === 'service'
      ? `${origin}/console/projects/${projectId}/runs/${runId}/trials/${iterationId}`
      : `drydock eval-iterations trace ${runId} ${iterationId}`;
}

function showCommand(group: Command, host: Host): void {
  const command = group
    .command('show <run>')
    .description('Show a run with its verdict, gate and waiver; same exit codes as `evals run`');
  reportOptions(placeOptions(command)).action(
    async (runId: string, options: LocationOptions & ReportFiles) => {
      process.exitCode = await host.withApi(options, (api, projectId, where) =>
        publishFindings(api, { projectId, runId }, where, options),
      );
    },
  );
}

function listCommand(group: Command, host: Host): void {
  prints(
    placeOptions(group.command('list').description('List the suites of a project')),
    (options: LocationOptions) =>
      host.withApi(options, async (api, projectId) => (await api.listEvalSuites({ projectId })).items),
    {
      ID: (suite) => suite.id,
      Name: (suite) => suite.name,
      'Last run': (suite) => (suite.latestRun ? time(suite.latestRun.createdAt) : 'never'),
      Result: ({ latestRun }) =>
        latestRun && `${latestRun.result ?? latestRun.status}${latestRun.warnings ? ', with warnings' : ''}`,
      Passed: ({ latestRun }) => latestRun && `${latestRun.passed}/${latestRun.passed + latestRun.failed}`,
    },
  );
}

function wished({ model, environment, iterations, case: caseIds, notes }: RunOptions): object {
  return {
    ...(model !== undefined && { model }),
    ...(environment !== undefined && { environmentId: environment }),
    ...(iterations !== undefined && { iterationOverride: Number(iterations) }),
    ...(caseIds && { caseIds }),
    ...(notes !== undefined && { notes }),
  };
}
