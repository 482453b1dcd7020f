import type { Verb } from '../context/verb.ts';
import { withServer } from './reach.ts';

export const getPrompt: Verb<'getPrompt'> = (context, { body }) =>
  withServer(context, body, async ({ ask }) => {
    const values = Object.entries(body.arguments ?? {}).map(
      ([name, value]) => [name, String(value)] as const,
    );
    const { result } = await ask('prompts/get', {
      name: body.promptName,
      ...(body.arguments && { arguments: Object.fromEntries(values) }),
    });
    return result;
  });
