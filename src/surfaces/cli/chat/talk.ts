import { createInterface } from 'node:readline/promises';
import { OperatorProblem } from '../../../platform/problem.ts';
import type { Client } from '../../client/index.ts';
import { oneLine } from '../../harmless-text.ts';
import { exitCodes } from '../exit-codes.ts';
import { interruptible } from '../interrupt.ts';
import { asRefused, refusal } from '../refused.ts';
import { paintFor } from '../screen/screen.ts';
import { bodyOf, type Settings } from './settings.ts';
import { runTurn, type Screens, type Turn } from './turn.ts';

const screens: Screens = { reply: process.stdout, beside: process.stderr };

/** One message in, the reply out. */
export async function sayOnce(
  api: Client,
  settings: Settings,
  message: string,
  { quiet }: { quiet: boolean },
): Promise<Turn> {
  const told = quiet ? { ...screens, reply: undefined } : screens;
  const turn = await interruptible((signal) => runTurn(api, bodyOf(settings, message), told, signal));
  if (!turn) throw new OperatorProblem('Stopped. Nothing was kept', { exitCode: exitCodes.interrupted });
  return turn;
}

/** A conversation on a terminal. What is refused or fails is said, and the conversation goes on. */
export async function talk(api: Client, settings: Settings): Promise<number> {
  const paint = paintFor(screens.beside);
  const say = (text: string): void => void screens.beside.write(`${paint('dim', text)}\n`);
  say(`Chat with ${settings.about}. Ctrl-C stops a reply, Ctrl-D leaves.`);
  const prompt = new Prompt();
  let current = settings;
  for (;;) {
    const message = await prompt.ask();
    if (message === 'leave' || message === 'interrupt') {
      const { sessionId } = current.first;
      if (sessionId !== undefined) say(`Go on with: drydock chat --session ${oneLine(sessionId, 100)}`);
      return message === 'leave' ? exitCodes.passed : exitCodes.interrupted;
    }
    try {
      const body = bodyOf(current, message.text);
      const turn = await interruptible((signal) => runTurn(api, body, screens, signal));
      say(turn ? usageWords(turn) : '  Stopped. Nothing of this turn was kept.');
      if (turn?.sessionId) current = { ...current, first: { sessionId: turn.sessionId } };
    } catch (error) {
      say(problemOf(error).message);
    }
  }
}

function usageWords({ usage }: Turn): string {
  return `  ${usage?.inputTokens ?? 'unknown'} tokens in, ${usage?.outputTokens ?? 'unknown'} out`;
}

/** What somebody can do something about; anything else ends the command. */
function problemOf(error: unknown): OperatorProblem {
  if (error instanceof OperatorProblem) return error;
  const refused = asRefused(error);
  if (!refused) throw error;
  return refusal(refused);
}

class Prompt {
  private history: string[] = [];

  /** A line with something in it. It is open only while it asks: in between, Ctrl-C is a signal. */
  async ask(): Promise<{ text: string } | 'leave' | 'interrupt'> {
    const lines = createInterface({
      input: process.stdin,
      output: process.stderr,
      terminal: true,
      history: this.history,
    });
    const left = new AbortController();
    let how: 'leave' | 'interrupt' = 'leave';
    lines.once('SIGINT', () => {
      how = 'interrupt';
      lines.close();
    });
    lines.once('close', () => left.abort());
    lines.on('history', (history) => (this.history = [...history]));
    try {
      for (;;) {
        const text = await lines.question('> ', { signal: left.signal });
        if (text.trim() !== '') return { text };
      }
    } catch (error) {
      if (!left.signal.aborted) throw error;
      process.stderr.write('\n');
      return how;
    } finally {
      lines.close();
    }
  }
}
