import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { OperatorProblem } from '../../platform/problem.ts';
import { exitCodes } from './exit-codes.ts';

/** Prompts without echo on a terminal; otherwise reads the secret from standard input. */
export async function askSecret(question: string): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).trim();
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
    throw new OperatorProblem('Interrupted before a key was entered', { exitCode: exitCodes.interrupted });
  } finally {
    prompt.close();
    process.stderr.write('\n');
  }
}
