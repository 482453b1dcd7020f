import { cutOffWords } from '../../models/cut-off.ts';
import { ModelFailure, unlessAborted } from '../../models/failure.ts';
import type { CallableModel, ModelCall } from '../../models/model-call.ts';

/** Asks one question with a JSON answer, and returns its text. A truncated answer is a `malformed` failure. */
export async function askForJson(
  model: CallableModel,
  { system, user }: { system: string; user: string },
  options: Pick<ModelCall, 'temperature' | 'maxOutputTokens' | 'abortSignal'>,
): Promise<string> {
  const asked = model.generate({
    prompt: [
      { role: 'system', content: system },
      { role: 'user', content: [{ type: 'text', text: user }] },
    ],
    responseFormat: { type: 'json' },
    ...options,
  });
  const { result } = await unlessAborted(asked, options.abortSignal);
  const { unified } = result.finishReason;
  if (unified === 'length' || unified === 'content-filter')
    throw new ModelFailure('malformed', cutOffWords(unified));
  return result.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
