import { Command, CommanderError } from 'commander';
import { OperatorProblem } from '../../platform/problem.ts';
import { version } from '../../platform/version.ts';
import { backupCommands } from './commands/backup.ts';
import { checkCommand } from './commands/check.ts';
import { configCommand } from './commands/config.ts';
import { demoServerCommand } from './commands/demo-server.ts';
import { evalCommands } from './commands/evals.ts';
import { identityCommands } from './commands/identity.ts';
import { organizationCommands } from './commands/organizations.ts';
import { pluginCommands } from './commands/plugins.ts';
import { secretCommands } from './commands/secrets.ts';
import { serveCommand, workerCommand } from './commands/serve.ts';
import { skillCommands } from './commands/skills.ts';
import { exitCodes } from './exit-codes.ts';
import type { Host } from './host.ts';

/** Runs a command; a problem the operator can mend is one line and its exit code. */
export async function runCli(argv: string[], host: Host): Promise<void> {
  const program = new Command('drydock')
    .description('Operate, test and evaluate saved MCP servers over a JSON HTTP API.')
    .version(version)
    .showSuggestionAfterError()
    .exitOverride();
  serveCommand(program, host);
  workerCommand(program, host);
  checkCommand(program, host);
  evalCommands(program, host);
  identityCommands(program, host);
  organizationCommands(program, host);
  skillCommands(program, host);
  pluginCommands(program, host);
  secretCommands(program, host);
  backupCommands(program, host);
  configCommand(program, host);
  demoServerCommand(program);
  try {
    await program.parseAsync(argv);
  } catch (error) {
    process.exitCode = reported(error);
  }
}

/** An error that nobody foresaw is no verdict. */
function reported(error: unknown): number {
  // Help and the version end as errors too; whatever they had to say is said.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.passed : exitCodes.usage;
  if (error instanceof OperatorProblem) {
    process.stderr.write(`drydock: ${error.message}\n`);
    return error.exitCode;
  }
  process.stderr.write(
    `drydock: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  return exitCodes.incomplete;
}
