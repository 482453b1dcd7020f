import { OperatorProblem } from '../../../platform/problem.ts';
import type { Client, Output } from '../../client/index.ts';
import { manyLines, oneLine } from '../../common/harmless-text.ts';
import { exitCodes } from '../exit-codes.ts';
import { asRefused, refusal } from '../refused.ts';
import { paintFor, progress, type Screen } from '../screen/screen.ts';
import { cutTo } from '../screen/text.ts';
import type { Body } from './settings.ts';

type ChatEvent = Output<'streamChatMessage'>;
export type Turn = Output<'sendChatMessage'>;

export interface ChatOutput {
  /** Receives the text of the model; undefined when only the whole answer is wanted. */
  reply: Screen | undefined;
  /** Receives tool calls and progress. */
  progress: Screen;
}

/** Time to wait for another turn of the chat, such as one that was just stopped. */
const waitMs = 15_000;

/** Runs a turn and prints it as it happens. Rejects with the reason of an aborted signal. */
export async function runTurn(
  api: Client,
  body: Body,
  output: ChatOutput,
  signal: AbortSignal,
): Promise<Turn> {
  const until = Date.now() + waitMs;
  for (;;) {
    const teller = new TurnPrinter(output);
    try {
      return await told(api.streamChatMessage({ body }, { signal }), teller);
    } catch (error) {
      signal.throwIfAborted();
      const wait = waitAfter(error);
      if (wait === undefined || Date.now() + wait > until) throw error;
      await pause(wait, signal);
    } finally {
      teller.end();
    }
  }
}

async function told(events: AsyncGenerator<ChatEvent>, teller: TurnPrinter): Promise<Turn> {
  for await (const event of events) {
    if (event.type === 'turn.ended') return event.turn;
    if (event.type === 'turn.failed') throw failure(event);
    teller.tell(event);
  }
  throw new OperatorProblem('The connection was lost before the turn ended', {
    exitCode: exitCodes.unreachable,
  });
}

/** A turn that failed at the model exits as incomplete. */
function failure({ code, message, details }: Extract<ChatEvent, { type: 'turn.failed' }>): OperatorProblem {
  const problem = refusal({ code, message, details });
  if (details?.['reason'] !== 'TURN_FAILED') return problem;
  return new OperatorProblem(problem.message, { exitCode: exitCodes.incomplete });
}

function waitAfter(error: unknown): number | undefined {
  const details = asRefused(error)?.details;
  if (details?.['reason'] !== 'TURN_IN_PROGRESS') return undefined;
  return Math.max(100, Math.min(Number(details['retryAfterMs']) || 500, 2_000));
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', giveUp);
      resolve();
    }, ms);
    signal.addEventListener('abort', giveUp, { once: true });
  });
}

/** Prints text as it arrives, and one line per completed tool call. */
class TurnPrinter {
  private readonly output: ChatOutput;
  private readonly calls = new Map<string, string>();
  private atStart = true;
  /** Whether the last line of the terminal shows a pending call. */
  private drawn = false;
  /** The first half of a surrogate pair or line break, completed by the next piece. */
  private rest = '';

  constructor(output: ChatOutput) {
    this.output = output;
  }

  tell(event: ChatEvent): void {
    if (event.type === 'text') this.text(event.text);
    if (event.type === 'text.restarted') this.line('(the model restarts)');
    if (event.type === 'tool.started') this.started(event);
    if (event.type === 'tool.ended') this.ended(event);
  }

  /** Ends the current line. */
  end(): void {
    if (!this.atStart) this.output.reply?.write('\n');
    this.atStart = true;
    if (this.drawn) progress(this.output.progress).end();
    this.drawn = false;
  }

  private text(piece: string): void {
    const whole = this.rest + piece;
    const half = /[\uD800-\uDBFF\r]$/.test(whole) ? whole.length - 1 : whole.length;
    this.rest = whole.slice(half);
    const text = manyLines(whole.slice(0, half));
    if (text === '') return;
    this.output.reply?.write(text);
    this.atStart = text.endsWith('\n');
  }

  private started({ toolCallId, toolName, input }: Extract<ChatEvent, { type: 'tool.started' }>): void {
    const what = `${oneLine(toolName, 100)} ${oneLine(JSON.stringify(input) ?? '', 500)}`;
    this.calls.set(toolCallId, what);
    if (!this.output.progress.isTTY) return;
    this.end();
    progress(this.output.progress).say(this.fitting(`  ${what} …`));
    this.drawn = true;
  }

  private ended({ toolCallId, status, durationMs }: Extract<ChatEvent, { type: 'tool.ended' }>): void {
    const outcome = status === 'ok' ? `${durationMs} ms` : `error, ${durationMs} ms`;
    this.line(`${this.calls.get(toolCallId) ?? 'a tool'}: ${outcome}`);
  }

  private line(text: string): void {
    this.end();
    const paint = paintFor(this.output.progress);
    this.output.progress.write(`${paint('dim', this.fitting(`  ${text}`))}\n`);
  }

  /** Cuts the call in the middle, so that it fits one line of the terminal with its outcome. */
  private fitting(text: string): string {
    const { isTTY, columns = 80 } = this.output.progress;
    if (!isTTY || text.length < columns) return text;
    const end = text.slice(text.lastIndexOf(':') < 0 ? text.length : text.lastIndexOf(':'));
    return `${cutTo(text, Math.max(20, columns - 1 - end.length))}${end}`;
  }
}
