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
    .option('--service <url>', 'address of the service; its key is in DRYDOCK_API_KEY or a login')
    .option('--profile <name>', 'which login to use; without either, the service that runs here');
}
