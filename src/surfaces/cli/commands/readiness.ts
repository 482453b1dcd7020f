import { type Command, Option } from 'commander';
import { OperatorProblem } from '../../../platform/problem.ts';
import type { Client } from '../../client/index.ts';
import { oneLine } from '../../common/harmless-text.ts';
import { printReadiness, type ReadinessReport, readinessReport } from '../checks/readiness-report.ts';
import type { LocationOptions } from '../connect/service-location.ts';
import { exitCodes } from '../exit-codes.ts';
import { readJsonObject } from '../files.ts';
import { serverNamed } from '../find.ts';
import { pollRun } from '../follow.ts';
import type { Host } from '../host.ts';
import { placeOptions, reportOptions } from '../options.ts';
import { printRunId, publishReport, type ReportFiles } from '../reports/write.ts';

interface ReadinessOptions extends ReportFiles, LocationOptions {
  server: string;
  directory: 'claude' | 'openai';
  declared?: string;
  submissionMode: 'mcp-only' | 'mcp-imported-skills';
  allowSideEffects?: true;
  observations?: true;
  wait?: true;
}

const exits = {
  ready: exitCodes.passed,
  'not-ready': exitCodes.failed,
  incomplete: exitCodes.incomplete,
} satisfies Record<ReadinessReport['overallStatus'], number>;

export function readinessCommand(program: Command, host: Host): void {
  const command = program
    .command('readiness')
    .description(
      'Check whether a server is ready for a public directory; with --wait exits 0 ready, 1 not ready, 3 incomplete',
    )
    .requiredOption('--server <server>', 'Server, by ID, name or URL')
    .addOption(
      new Option('--directory <directory>', 'Directory to check for')
        .choices(['claude', 'openai'])
        .makeOptionMandatory(),
    )
    .option('--declared <file>', 'JSON with facts a server cannot show, like privacyPolicyUrl')
    .addOption(
      new Option('--submission-mode <mode>', 'For openai: the kind of submission')
        .choices(['mcp-only', 'mcp-imported-skills'])
        .default('mcp-only'),
    )
    .option('--allow-side-effects', 'Also register a client and call tools that need no arguments')
    .option('--observations', 'Add observations of a model about the tools; they do not decide the verdict')
    .option('--wait', 'Wait for the run and print its findings');
  reportOptions(placeOptions(command)).action(async (options: ReadinessOptions) => {
    const declared = options.declared === undefined ? undefined : await readJsonObject(options.declared);
    process.exitCode = await host.withApi(options, (api, projectId) =>
      run(api, projectId, declared, options),
    );
  });
}

async function run(
  api: Client,
  projectId: string,
  declared: Record<string, unknown> | undefined,
  options: ReadinessOptions,
): Promise<number> {
  const { id: serverId, name } = await serverNamed(api, projectId, options.server);
  const body = {
    ...(declared && { declared }),
    ...(options.allowSideEffects && { allowSideEffects: true }),
    ...(options.observations && { includeLlmObservations: true }),
  };
  const { submissionMode } = options;
  const started =
    options.directory === 'claude'
      ? await api.startClaudeReadinessRun({ projectId, serverId, body })
      : await api.startOpenAIReadinessRun({ projectId, serverId, body: { ...body, submissionMode } });
  if (!options.wait) {
    printRunId(started.runId, options);
    return exitCodes.passed;
  }
  const which = { projectId, readinessRunId: started.runId };
  const shown = oneLine(name, 200);
  const over = await pollRun(
    `drydock readiness-runs cancel ${started.runId}`,
    (signal) => api.getReadinessRun(which, { signal }),
    ({ status }) => status !== 'pending' && status !== 'running',
    () => [`Checking ${shown}`],
  );
  if (over.status !== 'completed')
    throw new OperatorProblem(
      `The run is ${over.status}: ${oneLine(over.errorMessage ?? 'it was cancelled', 300)}`,
      { exitCode: exitCodes.incomplete },
    );
  const report = await api.getReadinessReport(which);
  await publishReport(readinessReport(shown, report), report, options, () => printReadiness(report));
  return exits[report.overallStatus];
}
