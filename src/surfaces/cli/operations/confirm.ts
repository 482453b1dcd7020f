import { createInterface } from 'node:readline/promises';
import { oneLine } from '../screen/text.ts';
import type { OperationCommand } from './manifest.ts';

/** Asks a person before something is deleted; a script is not asked. */
export async function confirmed(
  { deletes, group, verb }: OperationCommand,
  given: readonly string[],
  { yes }: { yes?: true },
): Promise<boolean> {
  if (!deletes || yes || !process.stdin.isTTY || !process.stderr.isTTY) return true;
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const what = given.map((one) => oneLine(one, 80)).join(' ');
    const answer = await prompt.question(
      `${group} ${verb}${what === '' ? '' : ` ${what}`}: are you sure? [y/N] `,
    );
    if (/^y(es)?$/i.test(answer.trim())) return true;
    process.stderr.write('Nothing was done.\n');
    return false;
  } finally {
    prompt.close();
  }
}
