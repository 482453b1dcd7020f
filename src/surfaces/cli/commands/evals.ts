import type { Command } from 'commander';
import type { Client } from '../../client/index.ts';
import { findingsOf } from '../../findings/run-findings.ts';
import { runReport, type TraceOf } from '../../findings/run-report.ts';
import { launchHeaders } from '../ci/detect.ts';
import type { Where } from '../connect/connect.ts';
import type { PlaceOptions } from '../connect/place.ts';
import { exitCodeOf } from '../evals/exit-code.ts';
import { suiteNamed } from '../evals/find-suite.ts';
import { followRun } from '../evals/follow.ts';
import { printFindings } from '../evals/print-findings.ts';
import type { LocalSuite } from '../evals/suite-file.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Host } from '../host.ts';
import { followUnlessInterrupted } from '../interrupt.ts';
import { placeOptions, reportOptions } from '../reports/options.ts';
import { printsJson, type ReportFiles, writeReports } from '../reports/write.ts';
import { printRows } from '../screen/rows.ts';
import { time } from '../screen/text.ts';
import { evalFileCommands } from './eval-files.ts';
import { replayCommand } from './replay.ts';
import { reportCommand } from './report.ts';

interface RunOptions extends PlaceOptions, ReportFiles {
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
  const group = program.command('evals').description('eval suites and their runs');
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
      'run a suite, by id, name or suite file, which is synced first. A file that brings its servers needs no service: one is started for the run and removed afterwards. Exits 0 passed, 1 failed, 3 without a verdict',
    )
    .option('--wait', 'follow the run and show its verdict')
    .option('--model <model>', 'run all cases with this model')
    .option('--environment <id>', 'environment to run in')
    .option('--iterations <count>', 'trials of each case')
    .option('--case <id...>', 'only these cases')
    .option('--notes <text>', 'kept with the run')
    .option('--update-servers', 'change saved servers to what the suite file says of them')
    .option('--approve-imports <reason>', 'run cases that only come near to what was imported');
  reportOptions(placeOptions(command)).action(async (suite: string, options: RunOptions) => {
    const { isSuiteFile, localSuite } = await import('../evals/suite-file.ts');
    // Read before a service is asked or made: a file with problems needs neither.
    const file = isSuiteFile(suite) ? await localSuite(suite, process.env) : undefined;
    const run = async (api: Client, projectId: string, where: Where): Promise<number> => {
      const quiet = printsJson(options);
      const runId = await launch(api, projectId, file ?? suite, options, quiet);
      const which = { projectId, runId };
      if (!options.wait && where.kind !== 'temporary') {
        process.stdout.write(quiet ? `${JSON.stringify({ runId })}\n` : `${runId}\n`);
        return exitCodes.passed;
      }
      const follow = (signal: AbortSignal) =>
        followRun(api, which, quiet ? undefined : process.stderr, signal);
      await followUnlessInterrupted(`drydock eval-runs cancel ${runId}`, follow, where.kind);
      return tell(api, which, where, options);
    };
    // A file that brings its servers needs nothing that stays.
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

/** Shows what came of a run, leaves the reports that were asked for, and says what to exit with. */
async function tell(
  api: Client,
  run: { projectId: string; runId: string },
  where: Where,
  files: ReportFiles,
): Promise<number> {
  const findings = await findingsOf(api, run);
  const traceOf = tracesAt(run.projectId, where);
  if (!printsJson(files)) printFindings(findings, traceOf);
  const { run: shown, ...rest } = findings;
  await writeReports(runReport(findings, traceOf), { ...shown, ...rest }, files);
  const code = exitCodeOf(findings);
  if (where.kind === 'temporary' && code !== exitCodes.passed && !printsJson(files))
    process.stderr.write(
      'The traces were not kept. To keep them, set DRYDOCK_DATA_DIR=.drydock and run it again.\n',
    );
  return code;
}

/** A page of the console where a service runs, else the command that prints the trace. */
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
    .description('show a run with its verdict, its gate and its waiver; exits as `run` does');
  reportOptions(placeOptions(command)).action(async (runId: string, options: PlaceOptions & ReportFiles) => {
    process.exitCode = await host.withApi(options, (api, projectId, where) =>
      tell(api, { projectId, runId }, where, options),
    );
  });
}

function listCommand(group: Command, host: Host): void {
  const command = group
    .command('list')
    .description('list the suites of a project')
    .option('--json', 'print JSON');
  placeOptions(command).action(async (options: PlaceOptions & { json?: true }) => {
    await host.withApi(options, async (api, projectId) => {
      const { items } = await api.listEvalSuites({ projectId });
      printRows(
        items,
        {
          Id: (suite) => suite.id,
          Name: (suite) => suite.name,
          'Last run': (suite) => (suite.latestRun ? time(suite.latestRun.createdAt) : 'never'),
          Result: ({ latestRun }) =>
            latestRun &&
            `${latestRun.result ?? latestRun.status}${latestRun.warnings ? ', with warnings' : ''}`,
          Passed: (suite) =>
            suite.latestRun && `${suite.latestRun.passed}/${suite.latestRun.passed + suite.latestRun.failed}`,
        },
        options.json ?? false,
      );
    });
  });
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
