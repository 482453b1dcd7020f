/** How much of a channel was recorded. Only a complete channel proves that something did not happen. */
type Capture = 'complete' | 'partial' | 'absent';

export interface Channel<Item> {
  state: Capture;
  items: readonly Item[];
}

/** A call that the model made, or a step of the case. */
export interface ToolCall {
  toolCallId: string;
  toolName: string;
  serverId?: string | undefined;
  arguments: Record<string, unknown>;
  /** Index of the turn that made the call. */
  promptIndex: number;
  /** Why it never reached a server: no such tool, or arguments that cannot be read. Both are the model's mistakes. */
  invalid?: string | undefined;
  /** No tool of this name was offered. */
  unknownTool?: true | undefined;
}

export interface ToolError {
  toolCallId: string;
  toolName: string;
  promptIndex: number;
  /** `content`: the result says so itself (`isError`). `protocol`: there was no result. */
  kind: 'content' | 'protocol';
  message: string;
  /** The error code of JSON-RPC. */
  code?: number | undefined;
}

const transportCodes: ReadonlySet<number> = new Set([-32000, -32001]);

/** Whether an error of the protocol is what the server answered. One of the transport has no code, or one of these. */
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
  /** The text read as JSON, where it is JSON. */
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
  status:
    | 'rendered'
    | 'no_ui_resource'
    | 'resource_read_failed'
    | 'mount_failed'
    | 'bridge_timeout'
    | 'render_error'
    | 'blank_screenshot'
    | 'screenshot_failed'
    | 'browser_unavailable';
  /** Why it is not rendered. */
  problem?: string | undefined;
  latencyMs?: number | undefined;
  consoleErrors: readonly string[];
}

export interface Usage {
  inputTokens?: number | undefined;
  outputTokens?: number | undefined;
  totalTokens?: number | undefined;
}

/** One prompt or one pinned call, and what came of it. */
export interface TurnEvidence {
  promptIndex: number;
  /** The message of the user; undefined for a pinned call. */
  prompt?: string | undefined;
  /** Text of the last assistant message of the turn; empty when it has none. */
  finalText: string;
}

/** All that a trial left behind and that it can be judged by. */
export interface TrialEvidence {
  turns: readonly TurnEvidence[];
  toolCalls: readonly ToolCall[];
  toolErrors: readonly ToolError[];
  /** Text of the very last assistant message; empty when it has none. */
  finalText: string;
  /** Undefined when the model did not say, or not for every step. */
  usage?: Usage | undefined;
  renders: readonly RenderObservation[];
  /** False: there was no browser, so that nothing was observed does not mean that nothing was rendered. */
  browserAvailable?: boolean | undefined;
  /** How many messages the user sent. */
  turnCount?: number | undefined;
  toolResults: Channel<ToolResult>;
  timings: Channel<ToolTiming>;
  /** The tools the model was offered. */
  inventory: Channel<DeclaredTool>;
  /** The tools as the servers declare them, none left out. */
  declarations: Channel<DeclaredTool>;
}

/** The evidence of one turn. Declared tools, usage and the number of turns stay those of the whole trial. */
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
