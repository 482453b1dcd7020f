import { Command } from 'commander';
import { version } from '../../platform/version.ts';
import { commandTable, headings } from './commands/table.ts';
import type { Host } from './host.ts';
import { operationGroups } from './operations/groups.ts';

/** Loads only the command group named in the arguments; otherwise registers all names, for help and suggestions. */
export async function programFor(words: readonly string[], host: Host): Promise<Command> {
  const program = new Command('drydock')
    .description('Operate, test and evaluate saved MCP servers.')
    .version(version, '-V, --version', 'Print the version')
    .helpOption('-h, --help', 'Show help')
    .showSuggestionAfterError()
    .enablePositionalOptions()
    .exitOverride();
  const name = wordAfterHelp(words);
  if (name !== undefined && [commandTable, operationGroups].some((table) => Object.hasOwn(table, name)))
    await addGroup(program, name, host);
  else addNames(program);
  return program;
}

function wordAfterHelp(words: readonly string[]): string | undefined {
  const [first, second] = words.filter((word) => !word.startsWith('-'));
  return first === 'help' ? second : first;
}

/** Adds the commands of one group: hand-written ones, and those generated from the contract. */
export async function addGroup(program: Command, name: string, host: Host): Promise<void> {
  const register = await commandTable[name]?.load();
  register?.(program, host);
  for (const command of program.commands)
    if (command.description() === '') command.description(commandTable[command.name()]?.summary ?? '');
  if (!(name in operationGroups)) return;
  const [{ operationCommands }, { operationManifest }] = await Promise.all([
    import('./operations/command.ts'),
    import('./operations/manifest.ts'),
  ]);
  const group =
    program.commands.find((command) => command.name() === name) ??
    program.command(name).description(`${operationManifest.groups[name]}`);
  operationCommands(group, name, operationManifest, host);
}

/** Adds every command by name only: help lists them, and commander suggests them for a misspelt name. */
function addNames(program: Command): void {
  for (const heading of headings) {
    for (const [name, { summary, heading: under }] of Object.entries(commandTable))
      if (under === heading) program.command(name).summary(summary).helpGroup(`${heading}:`);
  }
  for (const [name, { summary, hidden }] of Object.entries(operationGroups))
    if (!(name in commandTable))
      program
        .command(name, { hidden })
        .summary(summary)
        .helpGroup(`${headings.at(-1)}:`);
}
