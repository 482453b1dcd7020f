import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Host } from '../host.ts';
import { projectOption, serviceOptions } from '../options.ts';
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
  // A group that consists of aliases only shows them.
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
    .summary(entry.summary)
    .description(descriptionOf(entry));
  for (const { argument } of entry.params) command.argument(`<${argument}>`);
  if (entry.argument !== undefined) command.argument(`[${entry.argument}]`, `Same as --${entry.argument}`);
  for (const option of entry.flags.flatMap(optionsFor)) command.addOption(option);
  commonOptions(command, entry);
  command.action(async (...args: unknown[]) => {
    const given = args.slice(0, entry.params.length) as string[];
    const { perform } = await import('./perform.ts');
    await perform({ entry, manifest, host, given, options: optionsIn(entry, args) });
  });
}

/** The options, including the one that was given as an argument. */
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

const shapes: Record<FlagKind, string> = {
  text: ' <text>',
  number: ' <number>',
  boolean: '',
  list: ' <text>',
  map: ' <key=value>',
  json: ' <json>',
};

/** The option of a flag. A boolean flag also gets a hidden --no- option. */
function optionsFor({ flag, kind, says, choices, required, names, place }: Flag): Option[] {
  const text = [
    says,
    ...(choices && kind === 'list' ? [`one of ${choices.join(', ')}`] : []),
    ...(kind === 'list' || kind === 'map' ? ['repeatable'] : []),
    ...(kind === 'boolean' ? [`or --no-${flag}`] : []),
    ...(required ? ['required'] : []),
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
      'Request body as JSON, @file, or - for standard input; flags override its fields',
    );
  if (entry.sends === 'bytes')
    command
      .option('--file <path>', 'File to upload (default: -, the standard input)')
      .option('--content-type <type>', 'Media type of the file');
  if (entry.answers === 'file')
    command.option('--output <path>', 'Output file (default: the standard output)');
  if (entry.list) command.option('--all', 'Fetch all pages');
  if (entry.repeatable || entry.keyed)
    command.option('--idempotency-key <key>', 'A repeated request with the same key has no further effect');
  if (entry.deletes) command.option('--yes', 'Skip the confirmation');
  if (entry.project) projectOption(command);
  if (entry.organization)
    command.option('--organization <organization>', 'Organization, by ID or name (default: that of the key)');
  if (entry.answers !== 'file')
    command
      .option('--json', entry.answers === 'events' ? 'Print each event as a line of JSON' : 'Print JSON')
      .option('--jq <expression>', 'Print only what this expression selects, like .items[].name');
  serviceOptions(command);
}
