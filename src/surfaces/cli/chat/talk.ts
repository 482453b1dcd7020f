import { createInterface } from 'node:readline/promises';
import { OperatorProblem } from '../../../platform/problem.ts';
import type { Client } from '../../client/index.ts';
import { oneLine } from '../../common/harmless-text.ts';
import { exitCodes } from '../exit-codes.ts';
import { interruptible } from '../interrupt.ts';
import { asRefused, refusal } from '../refused.ts';
import { paintFor } from '../screen/screen.ts';
import { bodyOf, type Settings } from './settings.ts';
import { type ChatOutput, runTurn, type Turn } from './turn.ts';

const screens: ChatOutput = { reply: process.stdout, progress: process.stderr };

/** Sends one message and prints the reply. */
export async function askOnce(
  api: Client,
  settings: Settings,
  message: string,
  { quiet }: { quiet: boolean },
): Promise<Turn> {
  const used = quiet ? { ...screens, reply: undefined } : screens;
  const turn = await interruptible((signal) => runTurn(api, bodyOf(settings, message), used, signal));
  if (!turn) throw new OperatorProblem('Stopped. Nothing was saved', { exitCode: exitCodes.interrupted });
  return turn;
}

/** A conversation on a terminal. An API error is printed, and the conversation continues. */
export async function talk(api: Client, settings: Settings): Promise<number> {
  const paint = paintFor(screens.progress);
  const say = (text: string): void => void screens.progress.write(`${paint('dim', text)}\n`);
  say(`Chat with ${settings.about}. Ctrl-C stops a reply, Ctrl-D exits.`);
  const prompt = new Prompt();
  let current = settings;
  for (;;) {
    const message = await prompt.ask();
    if (message === 'leave' || message === 'interrupt') {
      const { sessionId } = current.first;
      if (sessionId !== undefined) say(`Continue with: drydock chat --session ${oneLine(sessionId, 100)}`);
      return message === 'leave' ? exitCodes.passed : exitCodes.interrupted;
    }
    try {
      const body = bodyOf(current, message.text);
      const turn = await interruptible((signal) => runTurn(api, body, screens, signal));
      say(turn ? usageText(turn) : '  Stopped. This turn was not saved.');
      if (turn?.sessionId) current = { ...current, first: { sessionId: turn.sessionId } };
    } catch (error) {
      say(problemOf(error).message);
    }
  }
}

function usageText({ usage }: Turn): string {
  return `  ${usage?.inputTokens ?? 'unknown'} tokens in, ${usage?.outputTokens ?? 'unknown'} out`;
}

/** Returns API errors as problems and rethrows everything else. */
function problemOf(error: unknown): OperatorProblem {
  if (error instanceof OperatorProblem) return error;
  const refused = asRefused(error);
  if (!refused) throw error;
  return refusal(refused);
}

class Prompt {
  private history: string[] = [];

  /** Reads a non-empty line. Readline is closed between two lines, so that Ctrl-C is a signal while a turn runs. */
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
