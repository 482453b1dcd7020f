import { Command } from 'commander';
import { commandTable } from '../commands/table.ts';
import type { Host } from '../host.ts';
import { operationGroups } from '../operations/groups.ts';
import { addGroup } from '../program.ts';

export interface CompletionTable {
  /** The verbs of each group; none of a command that is no group. */
  verbs: Record<string, string[]>;
  /** The flags of each command, by its words. */
  flags: Record<string, string[]>;
}

/** What can be completed without asking anybody. A build keeps this as a table: making it loads every command. */
export const completionTable: CompletionTable = await makeTable();

async function makeTable(): Promise<CompletionTable> {
  const table: CompletionTable = { verbs: {}, flags: {} };
  const visible = Object.entries(operationGroups).filter(([, { hidden }]) => !hidden);
  for (const name of new Set([...Object.keys(commandTable), ...visible.map(([group]) => group)])) {
    const program = new Command();
    // Nothing is run, so nobody is asked.
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
