import type { TurnMessage } from '../../models/messages.ts';
import type { TurnOutcome } from '../../models/turn.ts';
import { maxDepth } from '../../platform/json/bounds.ts';
import { asStorable } from '../../platform/json/storable.ts';
import type { CallAnswer, ToolBox } from '../../trials/tools.ts';

/** Maximum length of a conversation as JSON. Everything kept is sent to the model again with each step. */
export const maxHistory = 4 * 1024 * 1024;

export function lengthOf(messages: readonly { content: unknown }[]): number {
  return messages.reduce((sum, { content }) => sum + JSON.stringify(content).length, 0);
}

/** Approximate limit of one stored message, in characters of JSON. */
const maxOfMessage = 256 * 1024;
/** Characters of a transcript covered by full-text search. */
const maxWords = 100_000;
/** Characters of JSON per call argument or result in a response, and of all results of a turn. */
const maxOfCall = 64 * 1024;
const maxOfResults = 4 * 1024 * 1024;

export interface KeptMessage {
  role: TurnMessage['role'];
  content: TurnMessage['content'];
  truncated: boolean;
  words: string;
}

/** A message as stored: texts over the limit are truncated and marked so. */
export function keptMessage(message: TurnMessage): KeptMessage {
  const { role, content } = message;
  const whole = JSON.stringify(content).length <= maxOfMessage;
  return {
    role,
    content: whole ? content : cutContent(content),
    truncated: !whole,
    words: asStorable(wordsIn(message).slice(0, maxWords)),
  };
}

/** Truncates parts but drops none: providers refuse a call without its result and a result without its call. */
function cutContent(content: TurnMessage['content']): TurnMessage['content'] {
  const most = typeof content === 'string' ? maxOfMessage : Math.floor(maxOfMessage / content.length);
  return (
    typeof content === 'string' ? cut(content, most) : content.map((part) => cut(part, most))
  ) as TurnMessage['content'];
}

function cut(value: unknown, most: number): unknown {
  if (typeof value === 'string') return value.length > most ? `${value.slice(0, most)} [cut]` : value;
  if (Array.isArray(value)) return value.slice(0, 64).map((inner) => cut(inner, most));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, cut(inner, most)]));
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

/** A tool answer as kept by a turn. Truncated, since results may have megabytes and a turn may make many calls. */
export interface KeptAnswer extends CallAnswer {
  shown?: { output: unknown; truncated?: true };
}

/** Truncates the answers of one turn against a shared size limit. */
export function keepingAnswers(): (answer: CallAnswer) => KeptAnswer {
  let room = maxOfResults;
  return (answer) => {
    const { outcome } = answer;
    if ('failure' in outcome) return answer;
    const { result, bytes } = outcome;
    const shown = bounded('output', result, Math.max(0, Math.min(maxOfCall, room)));
    room -= JSON.stringify(shown.output)?.length ?? 0;
    return { ...answer, outcome: { result: { isError: result['isError'] }, bytes }, shown };
  };
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

/** Tool calls for the response: bounded, without metadata meant for machines. */
export function shownCalls({ steps }: TurnOutcome<KeptAnswer>, box: ToolBox): ShownCall[] {
  return steps.flatMap(({ calls }) =>
    calls.map((call): ShownCall => {
      const { toolName, serverId } = box.nameOf(call.name);
      const about = {
        toolCallId: call.id,
        toolName,
        ...(serverId !== undefined && { serverId }),
        ...bounded('input', call.input ?? call.rawInput, maxOfCall),
      };
      const { answer, invalid } = call;
      if (!answer) return { ...about, status: 'error', errorMessage: invalid?.message ?? 'Not called' };
      const { outcome, shown } = answer;
      if ('failure' in outcome) return { ...about, status: 'error', errorMessage: outcome.failure.message };
      const truncated = about.truncated ?? shown?.truncated;
      return {
        ...about,
        ...shown,
        status: answer.isError ? 'error' : 'ok',
        ...(truncated && { truncated }),
      };
    }),
  );
}

function bounded<Name extends 'input' | 'output'>(
  name: Name,
  value: unknown,
  most: number,
): { [Key in Name]: unknown } & { truncated?: true } {
  const clean = scrubbed(value, 0);
  const text = JSON.stringify(clean) ?? 'null';
  const kept = text.length <= most ? clean : `${text.slice(0, most)} [cut]`;
  return { [name]: kept, ...(kept !== clean && { truncated: true }) } as never;
}

/** Drops `_meta` and keys that begin with `$`. */
function scrubbed(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > maxDepth) return null;
  if (Array.isArray(value)) return value.map((one) => scrubbed(one, depth + 1));
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== '_meta' && !name.startsWith('$'))
      .map(([name, inner]) => [name, scrubbed(inner, depth + 1)]),
  );
}
