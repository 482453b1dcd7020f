import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { OperatorProblem } from '../../platform/problem.ts';
import { exitCodes } from './exit-codes.ts';

/** Asks without showing what is typed; without a terminal it is read from the standard input. */
export async function askSecret(question: string): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).trim();
  // What readline would echo goes nowhere.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const prompt = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  const [closed, interrupted] = [new AbortController(), new AbortController()];
  prompt.once('close', () => closed.abort());
  prompt.once('SIGINT', () => interrupted.abort());
  process.stderr.write(question);
  try {
    return (
      await prompt.question('', { signal: AbortSignal.any([closed.signal, interrupted.signal]) })
    ).trim();
  } catch {
    if (!interrupted.signal.aborted) return '';
    throw new OperatorProblem('Nothing was typed', { exitCode: exitCodes.interrupted });
  } finally {
    prompt.close();
    process.stderr.write('\n');
  }
}
