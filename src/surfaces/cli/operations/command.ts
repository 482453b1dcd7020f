import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Host } from '../host.ts';
import type { Flag, FlagKind } from './flags.ts';
import type { OperationCommand, OperationManifest } from './manifest.ts';
import { optionKey } from './names.ts';
import type { OperationOptions } from './perform.ts';

/** Adds the commands of a group, each of which calls one operation. */
export function operationCommands(
  group: Command,
  name: string,
  manifest: OperationManifest,
  host: Host,
): void {
  const entries = manifest.commands.filter((entry) => entry.group === name);
  // Whoever asks for a group of second names is shown them.
  const hides = entries.some(({ hidden }) => !hidden);
  for (const entry of entries) addCommand(group, entry, manifest, host, hides && entry.hidden);
}

function addCommand(
  group: Command,
  entry: OperationCommand,
  manifest: OperationManifest,
  host: Host,
  hidden: boolean,
): void {
  const command = group
    .command(entry.verb, { hidden })
    .summary(lowered(entry.summary))
    .description(descriptionOf(entry));
  for (const { argument } of entry.params) command.argument(`<${argument}>`);
  if (entry.argument !== undefined)
    command.argument(`[${entry.argument}]`, `the same as --${entry.argument}`);
  for (const option of entry.flags.flatMap(optionsFor)) command.addOption(option);
  commonOptions(command, entry);
  command.action(async (...args: unknown[]) => {
    const given = args.slice(0, entry.params.length) as string[];
    const { perform } = await import('./perform.ts');
    await perform({ entry, manifest, host, given, options: optionsIn(entry, args) });
  });
}

/** With what was given without its flag. */
function optionsIn({ params, argument }: OperationCommand, args: unknown[]): OperationOptions {
  const [first, second] = args.slice(params.length);
  if (argument === undefined) return first as OperationOptions;
  const options = second as OperationOptions;
  return first === undefined ? options : { [optionKey(argument)]: first, ...options };
}

function descriptionOf({ summary, description, spends, deprecated }: OperationCommand): string {
  return [
    `${summary}.`.replace(/\.\.$/, '.'),
    ...(description === undefined ? [] : [description]),
    ...(spends ? ['Spends credits.'] : []),
    ...(deprecated ? ['Deprecated.'] : []),
  ].join('\n\n');
}

function lowered(text: string): string {
  return /^[A-Z][a-z]/.test(text) ? text[0]?.toLowerCase() + text.slice(1) : text;
}

const shapes: Record<FlagKind, string> = {
  text: ' <text>',
  number: ' <number>',
  boolean: '',
  list: ' <text>',
  map: ' <key=value>',
  json: ' <json>',
};

/** A flag that is or is not gets a twin that says no. */
function optionsFor({ flag, kind, says, choices, required, names, place }: Flag): Option[] {
  const text = [
    says,
    ...(choices && kind === 'list' ? [`one of ${choices.join(', ')}`] : []),
    ...(kind === 'list' || kind === 'map' ? ['again for each'] : []),
    ...(kind === 'boolean' ? [`or --no-${flag}`] : []),
    ...(required ? ['needed'] : []),
  ];
  const shape = names === undefined ? shapes[kind] : ' <name>';
  const option = new Option(`--${flag}${shape}`, text.filter(Boolean).join('; '));
  if (kind === 'number') option.argParser(numberFrom);
  if (kind === 'list' || kind === 'map')
    option.argParser((one, before: string[] | undefined) => [...(before ?? []), one]);
  if (kind === 'text' && choices) option.choices(choices);
  const options = kind === 'boolean' ? [option, new Option(`--no-${flag}`).hideHelp()] : [option];
  return place === 'header' ? options.map((one) => one.hideHelp()) : options;
}

function numberFrom(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('Must be a number.');
  return value;
}

function commonOptions(command: Command, entry: OperationCommand): void {
  if (entry.sends === 'json')
    command.option(
      '--data <json>',
      'the body as JSON, @file or - for the standard input; flags are put into it',
    );
  if (entry.sends === 'bytes')
    command
      .option('--file <path>', 'what to send; - or left out for the standard input')
      .option('--content-type <type>', 'media type of it');
  if (entry.answers === 'file')
    command.option('--output <path>', 'where to write it; left out, the standard output');
  if (entry.list) command.option('--all', 'follow all pages');
  if (entry.repeatable || entry.keyed)
    command.option('--idempotency-key <key>', 'repeating it with the same key does nothing again');
  if (entry.deletes) command.option('--yes', 'do not ask');
  if (entry.project)
    command.option('--project <project>', 'by id or name; the Default project when left out');
  if (entry.organization)
    command.option('--organization <organization>', 'by id or name; the one of the key when left out');
  if (entry.answers !== 'file')
    command
      .option('--json', entry.answers === 'events' ? 'print each event as a line of JSON' : 'print JSON')
      .option('--jq <expression>', 'print only what this selects, like .items[].name');
  command
    .option('--service <url>', 'address of the service; its key is in DRYDOCK_API_KEY or a login')
    .option('--profile <name>', 'which login to use');
}
