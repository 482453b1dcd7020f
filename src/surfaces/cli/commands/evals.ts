import type { Command } from 'commander';
import { suiteNamed } from '../evals/find-suite.ts';
import { followRun } from '../evals/follow.ts';
import { exitCodeOf, printRun } from '../evals/report.ts';
import type { Host } from '../host.ts';
import { printRows, time } from '../output.ts';
import { evalFileCommands } from './eval-files.ts';
import { replayCommand } from './replay.ts';

interface Place {
  project?: string;
  url?: string;
}

interface RunOptions extends Place {
  wait?: true;
  json?: true;
  model?: string;
  environment?: string;
  iterations?: string;
  case?: string[];
  notes?: string;
  approveImports?: string;
}

export function evalCommands(program: Command, host: Host): void {
  const group = program.command('evals').description('eval suites and their runs');
  group
    .command('run <suite>')
    .description(
      'run a suite, by id, name or suite file, which is synced first; exits 0 passed, 1 failed, 3 without a verdict',
    )
    .option('--project <project>', 'project, by id or name; the Default project when left out')
    .option('--url <url>', 'of a service elsewhere, with its key in DRYDOCK_API_KEY; left out, the one here')
    .option('--wait', 'follow the run and show its verdict')
    .option('--model <model>', 'run all cases with this model')
    .option('--environment <id>', 'environment to run in')
    .option('--iterations <count>', 'trials of each case')
    .option('--case <id...>', 'only these cases')
    .option('--notes <text>', 'kept with the run')
    .option('--approve-imports <reason>', 'run cases that only come near to what was imported')
    .option('--json', 'print JSON')
    .action(async (suite: string, options: RunOptions) => {
      const { approvedImports, isSuiteFile, syncSuiteFile } = await import('../evals/suite-file.ts');
      process.exitCode = await host.withApi(options, async (api, projectId) => {
        const { id: suiteId } = isSuiteFile(suite)
          ? await syncSuiteFile(api, projectId, suite, options.json ? undefined : process.stderr)
          : await suiteNamed(api, projectId, suite);
        const reason = options.approveImports;
        const importApprovals =
          reason === undefined ? [] : await approvedImports(api, { projectId, suiteId }, reason);
        const { runId } = await api.createEvalRun({
          projectId,
          body: { suiteId, ...(importApprovals.length > 0 && { importApprovals }), ...wished(options) },
        });
        if (!options.wait) {
          process.stdout.write(options.json ? `${JSON.stringify({ runId })}\n` : `${runId}\n`);
          return 0;
        }
        await followRun(api, { projectId, runId }, options.json ? undefined : process.stderr);
        const run = await api.getEvalRun({ projectId, runId });
        if (options.json) process.stdout.write(`${JSON.stringify(run, null, 2)}\n`);
        else printRun(run);
        return exitCodeOf(run);
      });
    });
  replayCommand(group, host);
  group
    .command('list')
    .description('list the suites of a project')
    .option('--project <project>', 'project, by id or name; the Default project when left out')
    .option('--url <url>', 'of a service elsewhere, with its key in DRYDOCK_API_KEY; left out, the one here')
    .option('--json', 'print JSON')
    .action(async (options: Place & { json?: true }) => {
      await host.withApi(options, async (api, projectId) => {
        const { items } = await api.listEvalSuites({ projectId });
        printRows(
          items,
          {
            Id: (suite) => suite.id,
            Name: (suite) => suite.name,
            'Last run': (suite) => (suite.latestRun ? time(suite.latestRun.createdAt) : 'never'),
            Result: (suite) => suite.latestRun?.result ?? suite.latestRun?.status,
            Passed: (suite) =>
              suite.latestRun &&
              `${suite.latestRun.passed}/${suite.latestRun.passed + suite.latestRun.failed}`,
          },
          options.json ?? false,
        );
      });
    });
  evalFileCommands(group, host);
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
