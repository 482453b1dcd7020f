import type { WidgetStatus } from '../contract/server-widgets.ts';

/** How much of a channel was recorded. Only a complete channel proves that something did not happen. */
type Capture = 'complete' | 'partial' | 'absent';

export interface Channel<Item> {
  state: Capture;
  items: readonly Item[];
}

/** A call made by the model, or by a step of the case. */
export interface ToolCall {
  toolCallId: string;
  toolName: string;
  serverId?: string | undefined;
  arguments: Record<string, unknown>;
  /** Index of the turn that made the call. */
  promptIndex: number;
  /** Why the call never reached a server: unknown tool or unreadable arguments. Both are mistakes of the model. */
  invalid?: string | undefined;
  /** No tool of this name was offered. */
  unknownTool?: true | undefined;
}

export interface ToolError {
  toolCallId: string;
  toolName: string;
  promptIndex: number;
  /** `content`: the result has `isError`. `protocol`: the call returned no result. */
  kind: 'content' | 'protocol';
  message: string;
  /** The error code of JSON-RPC. */
  code?: number | undefined;
}

const transportCodes: ReadonlySet<number> = new Set([-32000, -32001]);

/**
 * Whether the server itself answered with this protocol error. Errors of the transport have no code or one of these.
 */
export function isServersAnswer(code: number | undefined): boolean {
  return code !== undefined && !transportCodes.has(code);
}

export interface ToolResult {
  toolCallId: string;
  toolName: string;
  promptIndex: number;
  /** All text parts, joined by line breaks. */
  text: string;
  structuredContent?: unknown;
  /** The text parsed as JSON, if it is valid JSON. */
  json?: unknown;
  /** Size of the original result, before it was truncated for storage; undefined if not measured. */
  bytes?: number | undefined;
  /** The stored result is complete. */
  whole: boolean;
}

export interface ToolTiming {
  toolCallId: string;
  toolName: string;
  promptIndex: number;
  ms: number;
}

/** A tool as a server declares it. */
export interface DeclaredTool {
  serverId: string;
  name: string;
  description?: unknown;
  inputSchema?: unknown;
  outputSchema?: unknown;
  annotations?: unknown;
}

/** The rendering of a tool's interface. */
export interface RenderObservation {
  toolName: string;
  promptIndex: number;
  status: WidgetStatus | 'no_ui_resource';
  /** Why rendering failed. */
  problem?: string | undefined;
  latencyMs?: number | undefined;
  consoleErrors: readonly string[];
}

export interface Usage {
  inputTokens?: number | undefined;
  outputTokens?: number | undefined;
  totalTokens?: number | undefined;
}

/** The evidence of one prompt or pinned call. */
export interface TurnEvidence {
  promptIndex: number;
  /** The message of the user; undefined for a pinned call. */
  prompt?: string | undefined;
  /** Text of the last assistant message of the turn; empty when it has none. */
  finalText: string;
}

/** Everything recorded during a trial that checks and judges may use. */
export interface TrialEvidence {
  turns: readonly TurnEvidence[];
  toolCalls: readonly ToolCall[];
  toolErrors: readonly ToolError[];
  /** Text of the last assistant message of the trial; empty when it has none. */
  finalText: string;
  /** Undefined if the provider did not report usage for every step. */
  usage?: Usage | undefined;
  renders: readonly RenderObservation[];
  /** False: without a browser, missing observations do not mean that nothing was rendered. */
  browserAvailable?: boolean | undefined;
  /** How many messages the user sent. */
  turnCount?: number | undefined;
  toolResults: Channel<ToolResult>;
  timings: Channel<ToolTiming>;
  /** The tools the model was offered. */
  inventory: Channel<DeclaredTool>;
  /** The unfiltered tools as the servers declare them. */
  declarations: Channel<DeclaredTool>;
}

/**
 * The evidence of one turn. Declared tools stay those of the whole trial; usage and the number of turns are omitted.
 */
export function evidenceOfTurn(evidence: TrialEvidence, promptIndex: number): TrialEvidence {
  const ofTurn = <Item extends { promptIndex: number }>(items: readonly Item[]): Item[] =>
    items.filter((item) => item.promptIndex === promptIndex);
  const channelOfTurn = <Item extends { promptIndex: number }>(channel: Channel<Item>): Channel<Item> => ({
    state: channel.state,
    items: ofTurn(channel.items),
  });
  const turns = ofTurn(evidence.turns);
  return {
    turns,
    toolCalls: ofTurn(evidence.toolCalls),
    toolErrors: ofTurn(evidence.toolErrors),
    finalText: turns.at(-1)?.finalText ?? '',
    renders: ofTurn(evidence.renders),
    browserAvailable: evidence.browserAvailable,
    toolResults: channelOfTurn(evidence.toolResults),
    timings: channelOfTurn(evidence.timings),
    inventory: evidence.inventory,
    declarations: evidence.declarations,
  };
}
