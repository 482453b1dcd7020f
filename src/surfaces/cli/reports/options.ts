import type { Command } from 'commander';

/** Where a command leaves what it found; the same for all that find something. */
export function reportOptions(command: Command): Command {
  return command
    .option('--json [file]', 'write the answer as JSON; without a file, or with -, to the standard output')
    .option('--junit <file>', 'write JUnit XML')
    .option('--markdown <file>', 'write a summary in Markdown; $GITHUB_STEP_SUMMARY gets it too');
}

/** Which service, and which of its projects. */
export function placeOptions(command: Command): Command {
  return command
    .option('--project <project>', 'project, by id or name; the Default project when left out')
    .option('--url <url>', 'of a service elsewhere, with its key in DRYDOCK_API_KEY; left out, the one here');
}
