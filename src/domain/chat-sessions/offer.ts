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

/** The tools offered in a turn: those of servers, skills and browser that the session and the message allow. */
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

/** Relies on the server's annotations; a tool without them counts as writing. */
function isReadOnly(tool: TrialServer['tools'][number]): boolean {
  const { annotations } = tool as { annotations?: { readOnlyHint?: unknown } };
  return annotations?.readOnlyHint === true;
}

/** Limits the number of calls. Counted at the call, since a model may request several at once. */
function counted(box: ToolBox, maxCalls: number): ToolBox['call'] {
  let made = 0;
  return async (name, input, signal, toolCallId): Promise<CallAnswer> => {
    if (made++ < maxCalls) return box.call(name, input, signal, toolCallId);
    return notCalled(
      box,
      name,
      `Not called: this turn may make ${maxCalls} tool calls. Answer with what is known.`,
    );
  };
}

/** The answer the model gets for a call that was not made. */
export function notCalled(box: ToolBox, name: string, text: string): CallAnswer {
  return {
    output: { type: 'error-text', value: text },
    isError: true,
    toolName: box.nameOf(name).toolName,
    server: undefined,
    outcome: { failure: { message: text } },
  };
}
