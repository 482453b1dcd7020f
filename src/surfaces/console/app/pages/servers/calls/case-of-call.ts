import type { Input } from '../../../api/index.ts';
import type { ToolCall } from './history.ts';

type Case = Pick<Input<'createEvalCase'>['body'], 'title' | 'steps' | 'checks'>;

/** Whether a case repeats the call or prompts a model to make it. */
export type CaseKind = 'call' | 'prompt';

/** Converts a call to a case. A direct call needs no model; a prompt passes if the model makes that call. */
export function caseOfCall(
  { toolName, parameters }: Pick<ToolCall, 'toolName' | 'parameters'>,
  serverName: string,
  given: { kind: CaseKind; title: string; prompt: string; contains: string },
): Case {
  const contains = given.contains.trim();
  const answer = contains === '' ? [] : [{ type: 'toolResultContains' as const, needle: contains, toolName }];
  if (given.kind === 'call')
    return {
      title: given.title,
      steps: [{ id: '1', kind: 'toolCall', serverName, toolName, arguments: parameters }],
      checks: { mode: 'extend', list: [{ type: 'noToolErrors' }, ...answer] },
    };
  return {
    title: given.title,
    steps: [{ id: '1', kind: 'prompt', prompt: given.prompt }],
    checks: {
      mode: 'extend',
      list: [
        { type: 'toolCalledWith', toolName, args: { args: parameters, argumentMatching: 'partial' } },
        ...answer,
      ],
    },
  };
}
