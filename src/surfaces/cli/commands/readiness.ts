import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { OperatorProblem } from '../../../platform/problem.ts';
import type { Client } from '../../client/index.ts';
import { oneLine } from '../../harmless-text.ts';
import { printReadiness, type ReadinessReport, readinessReport } from '../checks/readiness-report.ts';
import { serverNamed } from '../checks/server-named.ts';
import type { PlaceOptions } from '../connect/place.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Host } from '../host.ts';
import { followUnlessInterrupted } from '../interrupt.ts';
import { placeOptions, reportOptions } from '../reports/options.ts';
import { printsJson, type ReportFiles, writeReports } from '../reports/write.ts';
import { progress } from '../screen/screen.ts';

interface ReadinessOptions extends ReportFiles, PlaceOptions {
  server: string;
  directory: 'claude' | 'openai';
  declared?: string;
  submissionMode: 'mcp-only' | 'mcp-imported-skills';
  allowSideEffects?: true;
  observations?: true;
  wait?: true;
}

type Body = Parameters<Client['startClaudeReadinessRun']>[0]['body'];
type Run = Awaited<ReturnType<Client['getReadinessRun']>>;
type Which = { projectId: string; readinessRunId: string };

const exits = {
  ready: exitCodes.passed,
  'not-ready': exitCodes.failed,
  incomplete: exitCodes.incomplete,
} satisfies Record<ReadinessReport['overallStatus'], number>;

export function readinessCommand(program: Command, host: Host): void {
  const command = program
    .command('readiness')
    .description(
      'check whether a server would be taken into a public directory; with --wait exits 0 ready, 1 not ready, 3 when something could not be looked at',
    )
    .requiredOption('--server <server>', 'server, by id, name or URL')
    .addOption(
      new Option('--directory <directory>', 'which one').choices(['claude', 'openai']).makeOptionMandatory(),
    )
    .option('--declared <file>', 'JSON with what no server can show, like privacyPolicyUrl')
    .addOption(
      new Option('--submission-mode <mode>', 'for openai: what is submitted')
        .choices(['mcp-only', 'mcp-imported-skills'])
        .default('mcp-only'),
    )
    .option('--allow-side-effects', 'also register a client, and call tools that need no arguments')
    .option('--observations', 'have a model say what it notices about the tools; it decides nothing')
    .option('--wait', 'follow the run and show what it found');
  reportOptions(placeOptions(command)).action(async (options: ReadinessOptions) => {
    const declared = options.declared === undefined ? undefined : await readDeclared(options.declared);
    process.exitCode = await host.withApi(options, (api, projectId) =>
      run(api, projectId, declared, options),
    );
  });
}

async function readDeclared(file: string): Promise<NonNullable<NonNullable<Body>['declared']>> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new OperatorProblem(`Cannot read ${file}: ${error.message}`, { exitCode: exitCodes.usage });
  });
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // It is said below.
  }
  throw new OperatorProblem(`${file} holds no JSON object`, { exitCode: exitCodes.usage });
}

async function run(
  api: Client,
  projectId: string,
  declared: Awaited<ReturnType<typeof readDeclared>> | undefined,
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
    const { runId } = started;
    process.stdout.write(printsJson(options) ? `${JSON.stringify({ runId })}\n` : `${runId}\n`);
    return exitCodes.passed;
  }
  const which = { projectId, readinessRunId: started.runId };
  const shown = oneLine(name, 200);
  const over = await followed(api, which, `Looking at ${shown}`);
  if (over.status !== 'completed')
    throw new OperatorProblem(
      `The run is ${over.status}: ${oneLine(over.errorMessage ?? 'somebody ended it', 300)}`,
      {
        exitCode: exitCodes.incomplete,
      },
    );
  const report = await api.getReadinessReport(which);
  if (!printsJson(options)) printReadiness(report);
  await writeReports(readinessReport(shown, report), report, options);
  return exits[report.overallStatus];
}

/** Milliseconds between two looks. */
const pause = 500;

async function followed(api: Client, which: Which, words: string): Promise<Run> {
  let latest: Run | undefined;
  const { say, end } = progress();
  say(words);
  try {
    await followUnlessInterrupted(`drydock readiness-runs cancel ${which.readinessRunId}`, async (signal) => {
      for (;;) {
        latest = await api.getReadinessRun(which, { signal });
        if (latest.status !== 'pending' && latest.status !== 'running') return;
        await delay(pause, undefined, { signal });
      }
    });
  } finally {
    end();
  }
  return latest as unknown as Run;
}
