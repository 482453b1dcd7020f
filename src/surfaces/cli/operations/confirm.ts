import { createInterface } from 'node:readline';
import { OperatorProblem } from '../../../platform/problem.ts';
import { oneLine } from '../../common/harmless-text.ts';
import { exitCodes } from '../exit-codes.ts';
import type { OperationCommand } from './manifest.ts';

/** Asks for confirmation before a deletion, on a terminal only. */
export async function confirmed(
  { deletes, group, verb }: OperationCommand,
  given: readonly string[],
  { yes }: { yes?: true },
): Promise<boolean> {
  if (!deletes || yes || !process.stdin.isTTY || !process.stderr.isTTY) return true;
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const what = given.map((one) => oneLine(one, 80)).join(' ');
    // Ctrl-D closes the prompt and counts as no.
    const answer = await new Promise<string>((resolve, reject) => {
      prompt.once('SIGINT', () =>
        reject(new OperatorProblem('Nothing was deleted', { exitCode: exitCodes.interrupted })),
      );
      prompt.once('close', () => resolve(''));
      prompt.question(`${group} ${verb}${what === '' ? '' : ` ${what}`}: are you sure? [y/N] `, resolve);
    });
    if (/^y(es)?$/i.test(answer.trim())) return true;
    process.stderr.write('Nothing was deleted.\n');
    return false;
  } finally {
    prompt.close();
  }
}
