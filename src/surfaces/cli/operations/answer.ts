import { manyLines, oneLine } from '../../common/harmless-text.ts';
import { jsonText } from '../screen/json.ts';
import { answerText } from '../screen/record.ts';
import { paintFor } from '../screen/screen.ts';
import { time } from '../screen/text.ts';
import { select } from '../select/select.ts';
import type { View } from './views.ts';

interface Form {
  json?: true;
  jq?: string;
}

export function printAnswer(answer: unknown, { json, jq }: Form, view?: View): void {
  const out = process.stdout;
  if (jq !== undefined) return void out.write(selected(jq, answer));
  if (json) return void out.write(`${jsonText(answer, out, 2)}\n`);
  out.write(`${fitting(view?.text?.(answer as never, out) ?? answerText(answer, out), out)}\n`);
  const { nextCursor } = (answer ?? {}) as { nextCursor?: unknown };
  if (typeof nextCursor === 'string')
    process.stderr.write(
      `More results: use --all for everything, or --cursor ${oneLine(nextCursor, 300)} for the next page.\n`,
    );
}

/** Maximum lines of an answer on a terminal. A pipe receives every line. */
const maxLines = 200;

function fitting(text: string, { isTTY }: { isTTY?: boolean }): string {
  const lines = text.split('\n');
  if (!isTTY || lines.length <= maxLines) return text;
  const left = lines.length - maxLines;
  return [
    ...lines.slice(0, maxLines),
    `… ${left} more lines. Use --json for everything, or --jq to select.`,
  ].join('\n');
}

/** Prints each event as it arrives: a line of JSON, or time, type and fields. */
export async function printEvents(events: AsyncIterable<unknown>, { json, jq }: Form): Promise<void> {
  const out = process.stdout;
  const paint = paintFor(out);
  for await (const event of events) {
    if (jq !== undefined) out.write(selected(jq, event));
    else if (json || typeof event !== 'object' || event === null) out.write(`${jsonText(event, out)}\n`);
    else {
      const { type, status, at, ...rest } = event as Record<string, unknown>;
      const pairs = Object.entries(rest)
        .filter(([, value]) => value !== null && value !== undefined)
        .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
      const head = [typeof at === 'number' ? time(at) : undefined, type ?? status]
        .filter(Boolean)
        .map(String);
      out.write(`${paint('cyan', oneLine(head.join(' '), 80))} ${oneLine(pairs.join(' '), 400)}\n`);
    }
  }
}

/** Strings without quotes, other values as JSON, one per line. */
function selected(jq: string, answer: unknown): string {
  return select(jq, answer)
    .map((value) => `${typeof value === 'string' ? verbatim(value) : jsonText(value, process.stdout)}\n`)
    .join('');
}

/** Removes control characters on a terminal only. */
function verbatim(text: string): string {
  return process.stdout.isTTY ? manyLines(text) : text;
}
