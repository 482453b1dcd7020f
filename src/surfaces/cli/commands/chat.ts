import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { OperatorProblem } from '../../../platform/problem.ts';
import { type ChatOptions, settingsOf } from '../chat/settings.ts';
import { sayOnce, talk } from '../chat/talk.ts';
import type { PlaceOptions } from '../connect/place.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Host } from '../host.ts';
import { placeOptions } from '../reports/options.ts';
import { jsonText } from '../screen/json.ts';

interface Options extends ChatOptions, PlaceOptions {
  message?: string;
  json?: true;
}

export function chatCommand(program: Command, host: Host): void {
  const command = program
    .command('chat')
    .description(
      'talk with a model that has the tools of saved servers: a conversation on a terminal; elsewhere, or with --message, one message and its reply; exits 3 when the model gives none',
    )
    .option('--server <server...>', 'servers, by id or name; the only one when left out')
    .option('--environment <environment>', 'environment, by id or name, instead of servers')
    .option('--client <client>', 'client to speak as, by id or name')
    .option('--model <model>', 'provider/name; the only one of the deployment when left out')
    .option('--message <text>', 'say this, print the reply and end')
    .option('--session <id>', 'go on with a chat')
    .option('--auto', 'offer all tools, also those that change something; nobody is asked before a call')
    .option('--max-tool-calls <count>', 'tool calls of each turn, at most')
    .option('--system <text>', 'system prompt')
    .option('--temperature <number>', '0 to 2')
    .option('--json', 'print the turn as JSON');
  placeOptions(command).action(async (options: Options) => {
    const message = await messageIn(options);
    process.exitCode = await host.withApi(options, async (api, projectId) => {
      const settings = await settingsOf(api, projectId, options);
      if (message === undefined) return talk(api, settings);
      const turn = await sayOnce(api, settings, message, { quiet: options.json === true });
      if (options.json) process.stdout.write(`${jsonText(turn, process.stdout, 2)}\n`);
      return exitCodes.passed;
    });
  });
}

/** Without one, a person at a terminal is asked for it, and a script has it on the standard input. */
async function messageIn({ message, json }: Options): Promise<string | undefined> {
  if (message === undefined && process.stdin.isTTY) {
    if (json) throw new OperatorProblem('With --json, give the message with --message');
    return undefined;
  }
  const said = message ?? (await text(process.stdin)).trimEnd();
  if (said.trim() === '') throw new OperatorProblem('There is no message. Give it with --message');
  return said;
}
