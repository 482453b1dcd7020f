import type { DeclaredTool } from '../evaluation/index.ts';
import { nameTools } from '../models/tool-names.ts';
import type { OfferedTool, ToolAnswer } from '../models/turn.ts';
import { isObject } from '../platform/json/is-object.ts';
import type { WidgetSource } from '../widgets/declared.ts';

/** The outcome of a tool call. */
export type CallOutcome =
  | { result: Record<string, unknown>; bytes: number }
  /** There was no result. */
  | { failure: CallFailure };

export interface CallFailure {
  message: string;
  code?: number;
  /** The cause, if `message` hides it. */
  behind?: string;
}

/** A server of a trial and its tools. */
export interface TrialServer {
  id: string;
  name: string;
  tools: readonly DeclaredTool[];
  /** Rejects only when the trial is over. */
  call(toolName: string, input: Record<string, unknown>, signal: AbortSignal): Promise<CallOutcome>;
  /** Reads a resource. Rejects only when the trial is over. */
  read(uri: string, signal: AbortSignal): Promise<CallOutcome>;
  /** Reads a widget, or returns the problem. Rejects only when the trial is over. */
  widget(uri: string, signal: AbortSignal): Promise<WidgetSource | { problem: string }>;
}

/** A built-in tool, which belongs to no server. */
export interface OwnTool extends OfferedTool {
  answer(input: Record<string, unknown>, call: { toolCallId: string }): OwnAnswer | Promise<OwnAnswer>;
}

interface OwnAnswer {
  text: string;
  isError: boolean;
}

/** The additional fields of a tool answer in the steps of a turn. */
export interface CallAnswer extends ToolAnswer {
  toolName: string;
  server: TrialServer | undefined;
  outcome: CallOutcome;
}

/** The tools of a trial, under their names for the model. */
export interface ToolBox {
  servers: readonly TrialServer[];
  offered: readonly OfferedTool[];
  /** The declarations of the tools that the model may call. */
  inventory: readonly DeclaredTool[];
  call(
    name: string,
    input: Record<string, unknown>,
    signal: AbortSignal,
    toolCallId?: string,
  ): Promise<CallAnswer>;
  /** The original name of the tool that the model knows by this name. */
  nameOf(name: string): { toolName: string; serverId?: string };
}

export function toolBox(servers: readonly TrialServer[], own: readonly OwnTool[] = []): ToolBox {
  const all = servers.flatMap((server) =>
    server.tools.map((tool) => ({ server: server.name, name: tool.name, tool, at: server })),
  );
  const names = nameTools(
    all,
    own.map(({ name }) => name),
  );
  let room = maxToldOfAll;
  const ownByName = new Map(own.map((tool) => [tool.name, tool]));
  return {
    servers,
    inventory: all.map(({ tool }) => tool),
    offered: [
      ...own.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
      ...names.offered.map(({ name, tool: { tool } }) => ({
        name,
        description: typeof tool.description === 'string' ? tool.description : undefined,
        inputSchema: isObject(tool.inputSchema) ? tool.inputSchema : { type: 'object', properties: {} },
      })),
    ],
    nameOf: (name) => {
      const found = ownByName.has(name) ? undefined : names.find(name);
      return found ? { toolName: found.name, serverId: found.at.id } : { toolName: name };
    },
    call: async (name, input, signal, toolCallId = '') => {
      const ours = ownByName.get(name);
      if (ours) return ownAnswer(name, await ours.answer(input, { toolCallId }));
      const found = names.find(name);
      if (!found) throw new Error(`no tool is offered as ${name}`);
      const { at, name: toolName } = found;
      const outcome = await at.call(toolName, input, signal);
      const told = toldToModel(outcome, Math.max(0, Math.min(maxTold, room)));
      room -= told.output.value.length;
      return { ...told, toolName, server: at, outcome };
    },
  };
}

function ownAnswer(toolName: string, { text, isError }: OwnAnswer): CallAnswer {
  const result = { content: [{ type: 'text', text }], ...(isError && { isError }) };
  return {
    output: isError ? { type: 'error-text', value: text } : { type: 'text', value: text },
    isError,
    toolName,
    server: undefined,
    outcome: { result, bytes: text.length },
  };
}

/** Maximum characters of one result, and of all results of a trial, for the model. Every step sends them again. */
const maxTold = 200_000;
const maxToldOfAll = 4_000_000;

/**
 * The text of a result for the model. Other content is only mentioned, and structured content replaces missing text.
 */
function toldToModel(
  outcome: CallOutcome,
  most: number,
): ToolAnswer & { output: { type: 'text' | 'error-text'; value: string } } {
  if ('failure' in outcome)
    return { output: { type: 'error-text', value: outcome.failure.message }, isError: true };
  const { result } = outcome;
  const parts = Array.isArray(result['content']) ? (result['content'] as unknown[]) : [];
  const texts = parts.map((part) => {
    if (!isObject(part)) return '';
    if (part['type'] === 'text' && typeof part['text'] === 'string') return part['text'];
    return `[${typeof part['type'] === 'string' ? part['type'].slice(0, 100) : 'unknown'}]`;
  });
  const structured = result['structuredContent'];
  const text = texts.length > 0 || structured === undefined ? texts.join('\n') : JSON.stringify(structured);
  const value = text.length > most ? `${text.slice(0, most)}\n[cut]` : text;
  const isError = result['isError'] === true;
  return { output: { type: isError ? 'error-text' : 'text', value }, isError };
}
