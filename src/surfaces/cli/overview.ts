import { commandTable, headings } from './commands/table.ts';
import { operationGroups } from './operations/groups.ts';
import { columnsOf, paintFor, type Screen } from './screen/screen.ts';
import { padTo, wrapped } from './screen/text.ts';

/** The text of `drydock --help`, formatted here because loading commander takes longer. */
export function overview(screen: Screen): string {
  const paint = paintFor(screen);
  const sections = headings.map((heading) => [heading, commandsUnder(heading)] as const);
  const width = Math.max(...sections.flatMap(([, commands]) => commands.map(({ name }) => name.length)));
  const room = Math.min(columnsOf(screen), 100) - width - 4;
  const lines = sections.flatMap(([heading, commands]) => [
    paint('bold', `${heading}:`),
    ...commands.map(
      ({ name, summary }) =>
        `  ${paint('cyan', padTo(name, width))}  ${wrapped(summary, room, ' '.repeat(width + 4))}`,
    ),
    '',
  ]);
  return `Usage: drydock <command> [options]

Operate, test and evaluate saved MCP servers.

${lines.join('\n')}
Run drydock <command> --help for details, drydock --version for the version.
`;
}

function commandsUnder(heading: string): { name: string; summary: string }[] {
  const written = Object.entries(commandTable).flatMap(([name, entry]) =>
    entry.heading === heading ? [{ name, summary: entry.summary }] : [],
  );
  if (heading !== headings.at(-1)) return written;
  return Object.entries(operationGroups).flatMap(([name, { summary, hidden }]) =>
    hidden || name in commandTable ? [] : [{ name, summary }],
  );
}
