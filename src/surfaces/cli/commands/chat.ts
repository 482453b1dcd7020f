import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { OperatorProblem } from '../../../platform/problem.ts';
import { type ChatOptions, settingsOf } from '../chat/settings.ts';
import { askOnce, talk } from '../chat/talk.ts';
import type { LocationOptions } from '../connect/service-location.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Host } from '../host.ts';
import { placeOptions } from '../options.ts';
import { jsonText } from '../screen/json.ts';

interface Options extends ChatOptions, LocationOptions {
  message?: string;
  json?: true;
}

export function chatCommand(program: Command, host: Host): void {
  const command = program
    .command('chat')
    .description(
      'Chat with a model that can call the tools of saved servers. With --message or without a terminal, sends one message and prints the reply; exits 3 if there is no reply',
    )
    .option('--server <server...>', 'Servers, by ID or name (default: the only enabled one)')
    .option('--environment <environment>', 'Environment, by ID or name, instead of servers')
    .option('--client <client>', 'Client to emulate, by ID or name')
    .option(
      '--model <model>',
      'Model, as provider/name (default: the only hosted model, or the offline model if none is hosted)',
    )
    .option('--message <text>', 'Send this message, print the reply and exit')
    .option('--session <id>', 'Continue a chat')
    .option('--auto', 'Offer all tools, including those with side effects, without confirmation')
    .option('--max-tool-calls <count>', 'Maximum tool calls per turn')
    .option('--system <text>', 'System prompt')
    .option('--temperature <number>', 'Temperature, 0 to 2')
    .option('--json', 'Print the turn as JSON');
  placeOptions(command).action(async (options: Options) => {
    const message = await messageIn(options);
    process.exitCode = await host.withApi(options, async (api, projectId) => {
      const settings = await settingsOf(api, projectId, options);
      if (message === undefined) return talk(api, settings);
      const turn = await askOnce(api, settings, message, { quiet: options.json === true });
      if (options.json) process.stdout.write(`${jsonText(turn, process.stdout, 2)}\n`);
      return exitCodes.passed;
    });
  });
}

/** The message of --message or the standard input; undefined starts a conversation on a terminal. */
async function messageIn({ message, json }: Options): Promise<string | undefined> {
  if (message === undefined && process.stdin.isTTY) {
    if (json) throw new OperatorProblem('--json requires --message on a terminal');
    return undefined;
  }
  const given = message ?? (await text(process.stdin)).trimEnd();
  if (given.trim() === '') throw new OperatorProblem('The message is empty. Set it with --message');
  return given;
}
