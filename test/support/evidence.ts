import type {
  Channel,
  DeclaredTool,
  RenderObservation,
  ToolCall,
  ToolError,
  ToolResult,
  ToolTiming,
  TrialEvidence,
} from '../../src/evaluation/evidence.ts';

/** The complete evidence of a trial in which nothing happened. */
export function evidence(over: Partial<TrialEvidence> = {}): TrialEvidence {
  return {
    turns: [],
    toolCalls: [],
    toolErrors: [],
    finalText: '',
    renders: [],
    toolResults: complete(),
    timings: complete(),
    inventory: complete(),
    declarations: complete(),
    ...over,
  };
}

export function complete<Item>(...items: Item[]): Channel<Item> {
  return { state: 'complete', items };
}

export function partial<Item>(...items: Item[]): Channel<Item> {
  return { state: 'partial', items };
}

export const absent: Channel<never> = { state: 'absent', items: [] };

/** A call has the name of its tool as its ID, so that results and errors can refer to it. */
export function call(
  toolName: string,
  args: Record<string, unknown> = {},
  over: Partial<ToolCall> = {},
): ToolCall {
  return { toolCallId: toolName, toolName, arguments: args, promptIndex: 0, ...over };
}

export function result(toolName: string, over: Partial<ToolResult> = {}): ToolResult {
  return { toolCallId: toolName, toolName, promptIndex: 0, text: '', whole: true, ...over };
}

export function toolError(toolName: string, message: string, over: Partial<ToolError> = {}): ToolError {
  return { toolCallId: toolName, toolName, promptIndex: 0, kind: 'content', message, ...over };
}

export function timing(toolName: string, ms: number): ToolTiming {
  return { toolCallId: toolName, toolName, promptIndex: 0, ms };
}

export function tool(name: string, over: Partial<DeclaredTool> = {}): DeclaredTool {
  return { serverId: 's', name, ...over };
}

export function render(
  toolName: string,
  status: RenderObservation['status'],
  over: Partial<RenderObservation> = {},
): RenderObservation {
  return { toolName, promptIndex: 0, status, consoleErrors: [], ...over };
}
