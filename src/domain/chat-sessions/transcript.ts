import type { TurnMessage } from '../../models/messages.ts';
import type { TurnOutcome } from '../../models/turn.ts';
import type { CallAnswer, ToolBox } from '../../trials/tools.ts';
import { asStorable } from '../storable.ts';

/** Characters of JSON that one message takes at most, and of one text in a message that is cut. */
const mostOfMessage = 256 * 1024;
const mostOfText = 64 * 1024;
/** Of what is looked through for words. */
const mostWords = 100_000;
/** Characters of JSON of the arguments or the result of a call in an answer. */
const mostOfCall = 64 * 1024;

export interface KeptMessage {
  role: TurnMessage['role'];
  content: TurnMessage['content'];
  truncated: boolean;
  words: string;
}

/** A message as it is stored: what is too long is cut, and says so. */
export function keptMessage(message: TurnMessage): KeptMessage {
  const { role, content } = message;
  const whole = JSON.stringify(content).length <= mostOfMessage;
  return {
    role,
    content: whole ? content : (cut(content) as TurnMessage['content']),
    truncated: !whole,
    words: asStorable(wordsIn(message).slice(0, mostWords)),
  };
}

function cut(value: unknown): unknown {
  if (typeof value === 'string')
    return value.length > mostOfText ? `${value.slice(0, mostOfText)} [cut]` : value;
  if (Array.isArray(value)) return value.slice(0, 64).map(cut);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, cut(inner)]));
}

function wordsIn({ content }: TurnMessage): string {
  if (typeof content === 'string') return content;
  return content
    .map((part) => {
      if (part.type === 'text') return part.text;
      if (part.type === 'tool-call') return part.toolName;
      const { output } = part;
      return 'value' in output && typeof output.value === 'string' ? output.value : '';
    })
    .join('\n');
}

export interface ShownCall {
  toolCallId: string;
  toolName: string;
  serverId?: string;
  input: unknown;
  status: 'ok' | 'error';
  output?: unknown;
  errorMessage?: string;
  truncated?: boolean;
}

/** The calls of a turn as its answer tells them: bounded, and without what is meant for machines. */
export function shownCalls({ steps }: TurnOutcome<CallAnswer>, box: ToolBox): ShownCall[] {
  return steps.flatMap(({ calls }) =>
    calls.map((call): ShownCall => {
      const { toolName, serverId } = box.nameOf(call.name);
      const about = {
        toolCallId: call.id,
        toolName,
        ...(serverId !== undefined && { serverId }),
        ...bounded('input', call.input ?? call.rawInput),
      };
      const { answer, invalid } = call;
      if (!answer) return { ...about, status: 'error', errorMessage: invalid?.message ?? 'Not called' };
      const { outcome } = answer;
      if ('failure' in outcome) return { ...about, status: 'error', errorMessage: outcome.failure.message };
      const result = bounded('output', outcome.result);
      const truncated = about.truncated ?? result.truncated;
      return {
        ...about,
        ...result,
        status: answer.isError ? 'error' : 'ok',
        ...(truncated && { truncated }),
      };
    }),
  );
}

function bounded<Name extends 'input' | 'output'>(
  name: Name,
  value: unknown,
): { [Key in Name]: unknown } & { truncated?: true } {
  const clean = scrubbed(value, 0);
  const text = JSON.stringify(clean) ?? 'null';
  const kept = text.length <= mostOfCall ? clean : `${text.slice(0, mostOfCall)} [cut]`;
  return { [name]: kept, ...(kept !== clean && { truncated: true }) } as never;
}

/** Without `_meta` and names that begin with `$`. */
function scrubbed(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > 64) return null;
  if (Array.isArray(value)) return value.map((one) => scrubbed(one, depth + 1));
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== '_meta' && !name.startsWith('$'))
      .map(([name, inner]) => [name, scrubbed(inner, depth + 1)]),
  );
}
