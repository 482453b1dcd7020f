import {
  type Channel,
  type RenderObservation,
  type ToolCall,
  type ToolError,
  type ToolResult,
  type ToolTiming,
  type TrialEvidence,
  type TurnEvidence,
  textOfResult,
  wholeResult,
} from '../evaluation/index.ts';
import type { TurnMessage } from '../models/messages.ts';
import { sumOfUsage, type Usage } from '../models/usage.ts';
import type { CallOutcome, ToolBox } from './tools.ts';

/** Maximum bytes of one result, and of all results of a trial, that checks see and the trace keeps. */
const maxKept = 262_144;
const maxKeptOfAll = 16 * 1024 * 1024;

/** A request to a server and its response, for the trace. */
export interface Frame {
  toolCallId: string;
  serverId: string;
  method: 'tools/call';
  params: { name: string; arguments: Record<string, unknown> };
  result?: unknown;
  /** Bytes of the original result. */
  bytes?: number;
  error?: { code?: number; message: string };
  startMs: number;
  endMs: number;
}

/** Collects the evidence of a trial. */
export class Recorder {
  readonly messages: TurnMessage[] = [];
  readonly frames: Frame[] = [];
  readonly usages: Usage[] = [];
  private readonly turns: TurnEvidence[] = [];
  private readonly toolCalls: ToolCall[] = [];
  private readonly toolErrors: ToolError[] = [];
  private readonly results: ToolResult[] = [];
  private readonly timings: ToolTiming[] = [];
  private readonly renders: RenderObservation[] = [];
  private lostResults = false;
  private room = maxKeptOfAll;
  private readonly box: ToolBox;
  private readonly browserAvailable: boolean;

  constructor(box: ToolBox, browserAvailable: boolean) {
    this.box = box;
    this.browserAvailable = browserAvailable;
  }

  turn(turn: TurnEvidence): void {
    this.turns.push(turn);
  }

  render(observation: RenderObservation): void {
    this.renders.push(observation);
  }

  /** Records a call that was not made, or had not ended with the trial. */
  notMade(call: ToolCall, message: string | undefined): void {
    this.toolCalls.push(call);
    const { toolCallId, toolName, promptIndex } = call;
    if (message !== undefined)
      this.toolErrors.push({ toolCallId, toolName, promptIndex, kind: 'protocol', message });
    else this.lostResults = true;
  }

  call(call: ToolCall, outcome: CallOutcome, startMs: number, endMs: number): void {
    this.toolCalls.push(call);
    const { toolCallId, toolName, promptIndex, serverId, arguments: input } = call;
    const place = { toolCallId, toolName, promptIndex };
    this.timings.push({ ...place, ms: endMs - startMs });
    const frame: Frame = {
      toolCallId,
      serverId: serverId ?? '',
      method: 'tools/call',
      params: { name: toolName, arguments: input },
      startMs,
      endMs,
    };
    this.frames.push(frame);
    if ('failure' in outcome) {
      const { message, code } = outcome.failure;
      const error = { message, ...(code !== undefined && { code }) };
      frame.error = error;
      this.toolErrors.push({ ...place, kind: 'protocol', ...error });
      return;
    }
    const { result, bytes } = outcome;
    const kept = keptOf(result, bytes, Math.min(maxKept, this.room));
    this.room -= Math.min(bytes, this.room, maxKept);
    frame.result = kept.result;
    frame.bytes = bytes;
    this.results.push({ ...place, ...kept.evidence, bytes });
    if (result['isError'] === true)
      this.toolErrors.push({ ...place, kind: 'content', message: kept.evidence.text });
  }

  /** The evidence collected so far. */
  evidence(userMessages: number): TrialEvidence {
    const { inputTokens, outputTokens } = sumOfUsage(this.usages);
    const known = this.usages.length > 0 && inputTokens !== undefined && outputTokens !== undefined;
    const complete = <Item>(items: readonly Item[]): Channel<Item> => ({ state: 'complete', items });
    return {
      turns: this.turns,
      toolCalls: this.toolCalls,
      toolErrors: this.toolErrors,
      finalText: this.turns.at(-1)?.finalText ?? '',
      usage: known ? { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens } : undefined,
      renders: this.renders,
      browserAvailable: this.browserAvailable,
      turnCount: userMessages,
      toolResults: { state: this.lostResults ? 'partial' : 'complete', items: this.results },
      timings: { state: this.lostResults ? 'partial' : 'complete', items: this.timings },
      inventory: complete(this.box.inventory),
      declarations: complete(this.box.servers.flatMap(({ tools }) => tools)),
    };
  }
}

/** The stored form of a result, which checks see too. A very large result is truncated and marked. */
function keptOf(
  result: Record<string, unknown>,
  bytes: number,
  most: number,
): { result: unknown; evidence: Pick<ToolResult, 'text' | 'structuredContent' | 'json' | 'whole'> } {
  if (bytes > most) {
    const text = textOfResult(result);
    return {
      result: { cut: true, bytes, text: text.slice(0, 2000) },
      evidence: { text: text.slice(0, most), whole: false },
    };
  }
  return { result, evidence: wholeResult(result) };
}
