import type { Command } from 'commander';
import type { Client } from '../../client/index.ts';
import { everything } from '../../everything.ts';
import { isId } from '../../naming.ts';
import type { PlaceOptions } from '../connect/place.ts';
import { exitCodes } from '../exit-codes.ts';
import { theOne } from '../find.ts';
import type { Host } from '../host.ts';
import { followUnlessInterrupted } from '../interrupt.ts';
import { followJourneyRun } from '../journeys/follow.ts';
import { outcomeOf, verdictOf } from '../journeys/outcome.ts';
import { printOutcome } from '../journeys/print-outcome.ts';
import { placeOptions } from '../reports/options.ts';
import { jsonText } from '../screen/json.ts';

interface RunOptions extends PlaceOptions {
  env?: string[];
  wave?: string;
  wait?: true;
  json?: true;
  idempotencyKey?: string;
}

export function journeyCommands(program: Command, host: Host): void {
  const group = program
    .command('journeys')
    .description('what personas want to get done with your servers, and having them try it');
  const command = group
    .command('run <journey>')
    .description(
      'launch a journey, by id or name; with --wait exits 0 passed, 1 failed, 3 without a verdict. Spends credits',
    )
    .option('--wait', 'follow the run and show its verdict')
    .option(
      '--env <environment...>',
      'environments to run in, by id or name, instead of those of the journey',
    )
    .option('--wave <id>', 'a name of your choice: runs with the same one are looked at together')
    .option('--idempotency-key <key>', 'repeating it with the same key launches nothing again')
    .option('--json', 'print JSON');
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
  const say = (answer: object): void =>
    void process.stdout.write(`${jsonText({ ...answer, consoleUrl }, process.stdout, 2)}\n`);
  if (!options.wait) {
    if (options.json) say(launched);
    else process.stdout.write(`${journeyRunId}\n`);
    return exitCodes.passed;
  }
  const which = { projectId, journeyRunId };
  await followUnlessInterrupted(`drydock journey-runs cancel ${journeyRunId}`, (signal) =>
    followJourneyRun(api, which, options.json ? undefined : process.stderr, signal),
  );
  const outcome = await outcomeOf(api, which);
  const { run: shown, scorecard = null, findings } = outcome;
  if (options.json) say({ ...shown, scorecard, findings });
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

async function journeyNamed(api: Client, projectId: string, wanted: string): Promise<string> {
  if (isId(wanted)) return wanted;
  return theOne('journey', wanted, await everything(api.listJourneys, { projectId })).id;
}

/** One that was made on the fly has no name and is in no list. */
async function environmentsNamed(
  api: Client,
  projectId: string,
  wanted: readonly string[],
): Promise<string[]> {
  if (wanted.every(isId)) return [...wanted];
  const known = await everything(api.listEnvironments, { projectId });
  return wanted.map((one) => (isId(one) ? one : theOne('environment', one, known).id));
}
