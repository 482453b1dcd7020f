import { Command } from 'commander';
import { commandTable } from '../commands/table.ts';
import type { Host } from '../host.ts';
import { operationGroups } from '../operations/groups.ts';
import { addGroup } from '../program.ts';

export interface CompletionTable {
  /** The verbs of each group; empty for a single command. */
  verbs: Record<string, string[]>;
  /** The flags of each command, by its full name. */
  flags: Record<string, string[]>;
}

/** Commands and flags. The build precomputes this table, because it loads every command. */
export const completionTable: CompletionTable = await makeTable();

async function makeTable(): Promise<CompletionTable> {
  const table: CompletionTable = { verbs: {}, flags: {} };
  const visible = Object.entries(operationGroups).filter(([, { hidden }]) => !hidden);
  for (const name of new Set([...Object.keys(commandTable), ...visible.map(([group]) => group)])) {
    const program = new Command();
    // No command is run, so the host is not used.
    await addGroup(program, name, {} as Host);
    const command = program.commands.find((one) => one.name() === name) as Command;
    const shown = command
      .createHelp()
      .visibleCommands(command)
      .filter((one) => command.commands.includes(one));
    table.verbs[name] = shown.map((one) => one.name());
    for (const one of shown.length > 0 ? shown : [command])
      table.flags[one === command ? name : `${name} ${one.name()}`] = flagsOf(one);
  }
  return table;
}

function flagsOf(command: Command): string[] {
  return [...command.options.filter(({ hidden }) => !hidden).map(({ long }) => long ?? ''), '--help'];
}
