import { isObject } from '../../platform/json/is-object.ts';
import type { ToolCall, ToolError, ToolResult, ToolTiming, TrialEvidence, Usage } from '../evidence.ts';
import { wholeResult } from '../results.ts';

/** A stored trace. Its fields are untrusted. */
export interface StoredTrace {
  messages?: unknown;
  prompts?: unknown;
  frames?: unknown;
}

type Object = Record<string, unknown>;

interface Made {
  id: string;
  /** The error the model received instead of a result when the call was not sent. */
  refusal?: string | undefined;
}

interface Turn {
  isPinned: boolean;
  calls: Made[];
  finalText: string;
}

const absent = { state: 'absent', items: [] } as const;

/**
 * Rebuilds the evidence of a trial from its trace, without tool declarations, which traces do not contain. Undefined
 * when the trace is inconsistent or incomplete.
 */
export function evidenceOfTrace(trace: StoredTrace, usage: Usage | undefined): TrialEvidence | undefined {
  const prompts = objects(trace.prompts);
  const frames = objects(trace.frames);
  const turns = turnsOf(objects(trace.messages));
  if (!prompts || !frames || prompts.length !== turns.length) return undefined;
  const rebuilt = new Calls(frames);
  for (const [promptIndex, { calls }] of turns.entries()) {
    const actual = objects(prompts[promptIndex]?.['actualToolCalls']) ?? [];
    const all = calls.every((call, at) => rebuilt.add(call, actual[at], promptIndex));
    if (!all || actual.length !== calls.length) return undefined;
  }
  if (rebuilt.framesLeft > 0) return undefined;
  const { toolCalls, toolErrors, results, timings } = rebuilt;
  return {
    turns: turns.map(({ finalText }, promptIndex) => {
      const prompt = prompts[promptIndex]?.['prompt'];
      return { promptIndex, finalText, ...(typeof prompt === 'string' && { prompt }) };
    }),
    toolCalls,
    toolErrors,
    finalText: turns.at(-1)?.finalText ?? '',
    usage,
    renders: [],
    browserAvailable: false,
    turnCount: turns.filter(({ isPinned }) => !isPinned).length,
    toolResults: { state: 'complete', items: results },
    timings: { state: 'complete', items: timings },
    inventory: absent,
    declarations: absent,
  };
}

/** The tool calls of a trial in order, each paired with its recorded frame. */
class Calls {
  readonly toolCalls: ToolCall[] = [];
  readonly toolErrors: ToolError[] = [];
  readonly results: ToolResult[] = [];
  readonly timings: ToolTiming[] = [];
  private readonly frames: readonly Object[];
  private next = 0;

  constructor(frames: readonly Object[]) {
    this.frames = frames;
  }

  get framesLeft(): number {
    return this.frames.length - this.next;
  }

  /** False if a call has neither its frame nor a refusal, or a required field is missing. */
  add({ id, refusal }: Made, actual: Object | undefined, promptIndex: number): boolean {
    const { toolName, arguments: args } = actual ?? {};
    if (typeof toolName !== 'string' || !isObject(args)) return false;
    const place = { toolCallId: id, toolName, promptIndex };
    const frame = this.frames[this.next];
    if (frame?.['toolCallId'] !== id) {
      this.toolCalls.push({ ...place, arguments: args, invalid: refusal });
      this.toolErrors.push({ ...place, kind: 'protocol', message: refusal ?? '' });
      return refusal !== undefined;
    }
    this.next++;
    const { serverId } = frame;
    this.toolCalls.push({ ...place, arguments: args, ...(typeof serverId === 'string' && { serverId }) });
    return this.addFrame(place, frame);
  }

  private addFrame(place: Place, { startMs, endMs, error, result, bytes }: Object): boolean {
    if (typeof startMs !== 'number' || typeof endMs !== 'number') return false;
    this.timings.push({ ...place, ms: endMs - startMs });
    if (isObject(error)) {
      const { message, code } = error;
      const known = typeof code === 'number' ? { code } : {};
      this.toolErrors.push({ ...place, kind: 'protocol', message: String(message), ...known });
      return true;
    }
    // A cut result is unusable, because only its beginning was stored.
    if (!isObject(result) || result['cut'] === true) return false;
    const kept = wholeResult(result);
    this.results.push({ ...place, ...kept, ...(typeof bytes === 'number' && { bytes }) });
    if (result['isError'] === true) this.toolErrors.push({ ...place, kind: 'content', message: kept.text });
    return true;
  }
}

type Place = Pick<ToolResult, 'toolCallId' | 'toolName' | 'promptIndex'>;

function objects(value: unknown): Object[] | undefined {
  return Array.isArray(value) && value.every(isObject) ? value : undefined;
}

/** A turn begins at a user message or at a pinned call, which the case itself makes. */
function turnsOf(messages: readonly Object[] = []): Turn[] {
  const turns: Turn[] = [];
  for (const { role, content } of messages) {
    const parts = objects(content) ?? [];
    const ids = parts.flatMap(({ type, toolCallId }) =>
      type === 'tool-call' && typeof toolCallId === 'string' ? [toolCallId] : [],
    );
    const isPinned = ids[0]?.startsWith('pinned-') ?? false;
    if (role === 'user' || isPinned) turns.push({ isPinned, calls: [], finalText: '' });
    const turn = turns.at(-1);
    if (!turn) continue;
    turn.calls.push(...ids.map((id) => ({ id })));
    turn.finalText = role === 'assistant' && !turn.isPinned ? textOf(content, parts) : '';
    if (role === 'tool') for (const part of parts) noteRefusal(turn, part);
  }
  return turns;
}

function textOf(content: unknown, parts: readonly Object[]): string {
  if (typeof content === 'string') return content;
  return parts.map(({ type, text }) => (type === 'text' && typeof text === 'string' ? text : '')).join('');
}

function noteRefusal({ calls }: Turn, { toolCallId, output }: Object): void {
  if (!isObject(output) || output['type'] !== 'error-text') return;
  const call = calls.find(({ id, refusal }) => id === toolCallId && refusal === undefined);
  if (call) call.refusal = String(output['value']);
}
