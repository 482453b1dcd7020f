import { skillTools } from '../../trials/skills.ts';
import {
  type CallAnswer,
  type OwnTool,
  type ToolBox,
  type TrialServer,
  toolBox,
} from '../../trials/tools.ts';
import type { Sent, SessionConfig } from './config.ts';
import type { TurnTarget } from './target.ts';

export interface Offer {
  box: ToolBox;
  advertised: number;
  excluded: number;
}

/** The tools of a turn: what the session and this message allow of what the servers have. */
export function offerTools(
  { servers, skills }: TurnTarget,
  { toolMode }: SessionConfig,
  sent: Sent,
  browser: readonly OwnTool[],
): Offer {
  const { allowedTools, maxToolCalls } = sent;
  const none = maxToolCalls === 0 || allowedTools?.length === 0;
  const fits = (tool: TrialServer['tools'][number]): boolean =>
    !none &&
    (toolMode === 'auto' || isReadOnly(tool)) &&
    (allowedTools === undefined || allowedTools.includes(tool.name));
  const all = servers.reduce((sum, { tools }) => sum + tools.length, browser.length);
  const allowed = servers.map((server) => ({ ...server, tools: server.tools.filter(fits) }));
  const own = none || allowedTools !== undefined ? [] : skillTools(skills);
  const usable = none ? [] : browser.filter(({ name }) => allowedTools?.includes(name) ?? true);
  const box = toolBox(allowed, [...own, ...usable]);
  const offered = allowed.reduce((sum, { tools }) => sum + tools.length, usable.length);
  return {
    box: maxToolCalls === undefined ? box : { ...box, call: counted(box, maxToolCalls) },
    advertised: box.offered.length,
    excluded: all - offered,
  };
}

/** Only what the server itself says of a tool; whoever says nothing is taken to change something. */
function isReadOnly(tool: TrialServer['tools'][number]): boolean {
  const { annotations } = tool as { annotations?: { readOnlyHint?: unknown } };
  return annotations?.readOnlyHint === true;
}

/** Counted where calls are made: a model may want several at once. */
function counted(box: ToolBox, most: number): ToolBox['call'] {
  let made = 0;
  return async (name, input, signal, toolCallId): Promise<CallAnswer> => {
    if (made++ < most) return box.call(name, input, signal, toolCallId);
    return notCalled(
      box,
      name,
      `Not called: this turn may make ${most} tool calls. Answer with what is known.`,
    );
  };
}

/** What the model is told of a call that was not made. */
export function notCalled(box: ToolBox, name: string, text: string): CallAnswer {
  return {
    output: { type: 'error-text', value: text },
    isError: true,
    toolName: box.nameOf(name).toolName,
    server: undefined,
    outcome: { failure: { message: text } },
  };
}
