import { Refusal } from '../../contract/errors.ts';
import type { Verb } from '../context/verb.ts';
import { withServer } from './reach.ts';

export const callTool: Verb<'callTool'> = (context, { body }) => {
  if (body.taskOptions !== undefined || body.allowTaskResult)
    throw new Refusal(
      'FEATURE_NOT_SUPPORTED',
      'Tools are called directly, not as MCP tasks. Leave out taskOptions and allowTaskResult',
    );
  return withServer(context, body, async ({ ask }) => {
    const params = { name: body.toolName, arguments: body.parameters ?? {} };
    const { result, durationMs, frames } = await ask('tools/call', params);
    const timed = 'durationMs' in result ? (result as { durationMs: unknown }) : { ...result, durationMs };
    return body.includeFrames ? { ...timed, frames } : timed;
  });
};
