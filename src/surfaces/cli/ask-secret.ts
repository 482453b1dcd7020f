import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';

/** Asks without showing what is typed; without a terminal it is read from the standard input. */
export async function askSecret(question: string): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).trim();
  // What readline would echo goes nowhere.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const prompt = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  const interrupted = new AbortController();
  for (const end of ['SIGINT', 'close']) prompt.once(end, () => interrupted.abort());
  process.stderr.write(question);
  try {
    return (await prompt.question('', { signal: interrupted.signal })).trim();
  } catch {
    return '';
  } finally {
    prompt.close();
    process.stderr.write('\n');
  }
}
