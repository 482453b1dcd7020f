import type { Command } from 'commander';
import { type Columns, printRows } from './screen/rows.ts';

export function jsonOption(command: Command): Command {
  return command.option('--json', 'Print JSON');
}

export function organizationOption(command: Command): Command {
  return command.option('--organization <organization>', 'Organization, by ID or name');
}

export function serviceOptions(command: Command): Command {
  return command
    .option('--service <url>', 'URL of the service; its key comes from DRYDOCK_API_KEY or a login')
    .option('--profile <name>', 'Login to use (default: the service that runs here)');
}

export function projectOption(command: Command): Command {
  return command.option('--project <project>', 'Project, by ID or name (default: the Default project)');
}

/** The service and the project that a command works on. */
export function placeOptions(command: Command): Command {
  return serviceOptions(projectOption(command));
}

export function reportOptions(command: Command): Command {
  return command
    .option('--json [file]', 'Write the result as JSON (default file: -, the standard output)')
    .option('--junit <file>', 'Write JUnit XML')
    .option('--markdown <file>', 'Write a Markdown summary; $GITHUB_STEP_SUMMARY gets it too');
}

/** Makes a command print rows as a table, or as JSON with `--json`. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- commander does not type the options it passes
export function prints<Row extends object, Options = unknown>(
  command: Command,
  read: (options: Options) => readonly Row[] | Promise<readonly Row[]>,
  columns: Columns<Row>,
): void {
  jsonOption(command).action(async (options: Options & { json?: true }) =>
    printRows(await read(options), columns, options.json ?? false),
  );
}
