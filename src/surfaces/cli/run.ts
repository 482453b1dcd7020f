import { CommanderError } from 'commander';
import { OperatorProblem } from '../../platform/problem.ts';
import { exitCodes } from './exit-codes.ts';
import type { Host } from './host.ts';
import { programFor } from './program.ts';

/** Runs a command; a problem that whoever typed it can mend is said in few lines, with its exit code. */
export async function runCli(argv: string[], host: Host): Promise<void> {
  try {
    // Not a command: shells ask this while somebody types.
    if (argv[2] === '__complete') return await completed(argv.slice(3));
    const program = await programFor(argv.slice(2), host);
    if (argv.length === 2) program.outputHelp();
    else await program.parseAsync(argv);
  } catch (error) {
    process.exitCode = reported(error);
  }
}

async function completed(words: string[]): Promise<void> {
  const { complete } = await import('./completion/complete.ts');
  process.stdout.write((await complete(words)).map((line) => `${line}\n`).join(''));
}

/** An error that nobody foresaw is no verdict. */
function reported(error: unknown): number {
  // Help and the version end as errors too; whatever they had to say is said.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.passed : exitCodes.usage;
  if (error instanceof OperatorProblem) {
    process.stderr.write(`${error.asItIs ? '' : 'drydock: '}${error.message}\n`);
    return error.exitCode;
  }
  process.stderr.write(
    `drydock: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  return exitCodes.incomplete;
}
