import { OperatorProblem } from '../../platform/problem.ts';
import { manyLines } from '../common/harmless-text.ts';
import { exitCodes } from './exit-codes.ts';
import type { Host } from './host.ts';

/** Runs a command. An OperatorProblem is printed as its message, without a stack, and sets the exit code. */
export async function runCli(argv: string[], host: Host): Promise<void> {
  try {
    // Called by the completion scripts of shells, not by people.
    if (argv[2] === '__complete') return await completed(argv.slice(3));
    if (isGeneral(argv.slice(2))) {
      const { overview } = await import('./overview.ts');
      return void process.stdout.write(overview(process.stdout));
    }
    const { programFor } = await import('./program.ts');
    const program = await programFor(argv.slice(2), host);
    await program.parseAsync(argv);
  } catch (error) {
    process.exitCode = reported(error);
  }
}

function isGeneral([first, ...others]: string[]): boolean {
  return first === undefined || (['--help', '-h', 'help'].includes(first) && others.length === 0);
}

async function completed(words: string[]): Promise<void> {
  const { complete } = await import('./completion/complete.ts');
  const lines = (await complete(words)).map((line) => `${line}\n`).join('');
  // Ends without waiting for requests that are still pending.
  process.stdout.write(lines, () => process.exit());
}

/** Handles a failed write to standard output. EPIPE is silent: the reader, such as `head`, has ended. */
export function handleStdoutError(error: NodeJS.ErrnoException): never {
  if (error.code !== 'EPIPE') process.stderr.write(`drydock: Cannot write: ${error.message}\n`);
  process.exit(exitCodes.incomplete);
}

function reported(error: unknown): number {
  // Commander throws for --help and --version too, after it has printed them.
  if (error instanceof Error && 'exitCode' in error && !(error instanceof OperatorProblem))
    return error.exitCode === 0 ? exitCodes.passed : exitCodes.usage;
  if (error instanceof OperatorProblem) {
    process.stderr.write(`${error.asItIs ? '' : 'drydock: '}${error.message}\n`);
    if (error.cause instanceof Error && process.env['DRYDOCK_LOG_LEVEL'] === 'debug')
      process.stderr.write(`${manyLines(error.cause.stack ?? '')}\n`);
    return error.exitCode;
  }
  process.stderr.write(
    `drydock: ${manyLines(error instanceof Error ? (error.stack ?? error.message) : String(error))}\n`,
  );
  return exitCodes.incomplete;
}
