import type { Command } from 'commander';
import type { Client } from '../../client/index.ts';
import type { LocationOptions } from '../connect/service-location.ts';
import { exitCodes } from '../exit-codes.ts';
import { environmentsNamed, journeyNamed } from '../find.ts';
import type { Host } from '../host.ts';
import { followUnlessInterrupted } from '../interrupt.ts';
import { followJourneyRun } from '../journeys/follow.ts';
import { outcomeOf, verdictOf } from '../journeys/outcome.ts';
import { printOutcome } from '../journeys/print-outcome.ts';
import { placeOptions } from '../options.ts';
import { jsonText } from '../screen/json.ts';

interface RunOptions extends LocationOptions {
  env?: string[];
  wave?: string;
  wait?: true;
  json?: true;
  idempotencyKey?: string;
}

export function journeyCommands(program: Command, host: Host): void {
  const group = program.command('journeys');
  const command = group
    .command('run <journey>')
    .description(
      'Launch a journey, by ID or name; with --wait exits 0 passed, 1 failed, 3 without a verdict. Spends credits',
    )
    .option('--wait', 'Wait for the run and print its verdict')
    .option(
      '--env <environment...>',
      'Environments to run in, by ID or name, instead of those of the journey',
    )
    .option('--wave <id>', 'Name of the wave; runs with the same wave are analyzed together')
    .option('--idempotency-key <key>', 'A repeated launch with the same key returns the same run')
    .option('--json', 'Print JSON');
  placeOptions(command).action(async (journey: string, options: RunOptions) => {
    process.exitCode = await host.withApi(options, (api, projectId, { origin }) =>
      run(api, { projectId, journey, origin }, options),
    );
  });
}

async function run(
  api: Client,
  { projectId, journey, origin }: { projectId: string; journey: string; origin: string },
  options: RunOptions,
): Promise<number> {
  const launched = await launch(api, projectId, journey, options);
  const { id: journeyRunId } = launched;
  const consoleUrl = `${origin}/console/projects/${projectId}/swarms/runs/${journeyRunId}`;
  const print = (answer: object): void =>
    void process.stdout.write(`${jsonText({ ...answer, consoleUrl }, process.stdout, 2)}\n`);
  if (!options.wait) {
    if (options.json) print(launched);
    else process.stdout.write(`${journeyRunId}\n`);
    return exitCodes.passed;
  }
  const which = { projectId, journeyRunId };
  await followUnlessInterrupted(`drydock journey-runs cancel ${journeyRunId}`, (signal) =>
    followJourneyRun(api, which, options.json ? undefined : process.stderr, signal),
  );
  const outcome = await outcomeOf(api, which);
  const { run: shown, scorecard = null, findings } = outcome;
  if (options.json) print({ ...shown, scorecard, findings });
  else printOutcome(outcome, consoleUrl);
  return verdictOf(shown).exitCode;
}

async function launch(
  api: Client,
  projectId: string,
  journey: string,
  { env = [], wave, idempotencyKey }: RunOptions,
): ReturnType<Client['launchJourneyRun']> {
  const journeyId = await journeyNamed(api, projectId, journey);
  const environmentIds = await environmentsNamed(api, projectId, env);
  const body = {
    ...(environmentIds.length > 0 && { environmentIds }),
    ...(wave !== undefined && { waveId: wave }),
  };
  return api.launchJourneyRun({ projectId, journeyId, body }, { idempotencyKey });
}
