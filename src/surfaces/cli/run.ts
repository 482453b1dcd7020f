import { OperatorProblem } from '../../platform/problem.ts';
import { manyLines } from '../harmless-text.ts';
import { exitCodes } from './exit-codes.ts';
import type { Host } from './host.ts';

/** Runs a command; a problem that whoever typed it can mend is said in few lines, with its exit code. */
export async function runCli(argv: string[], host: Host): Promise<void> {
  try {
    // Not a command: shells ask this while somebody types.
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

/** Asks what there is, and for nothing in particular. */
function isGeneral([first, ...others]: string[]): boolean {
  return first === undefined || (['--help', '-h', 'help'].includes(first) && others.length === 0);
}

async function completed(words: string[]): Promise<void> {
  const { complete } = await import('./completion/complete.ts');
  const lines = (await complete(words)).map((line) => `${line}\n`).join('');
  // Whatever was asked and has not answered by now is not waited for.
  process.stdout.write(lines, () => process.exit());
}

/** Whoever read along is gone, like `head`, and needs no stack; another reason, like a full disk, is said. */
export function unread(error: NodeJS.ErrnoException): never {
  if (error.code !== 'EPIPE') process.stderr.write(`drydock: Cannot write: ${error.message}\n`);
  process.exit(exitCodes.incomplete);
}

/** An error that nobody foresaw is no verdict. */
function reported(error: unknown): number {
  // Help and the version end as errors too; whatever they had to say is said.
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
