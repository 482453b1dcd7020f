import type { Reply, Script } from './scripted-provider.ts';

type Request = Parameters<Script>[0];

/** What the judge was sent besides its instructions; undefined when it was not the judge who was asked. */
export function judgeRequest({ body }: { body: Request['body'] }): string | undefined {
  const [system, user] = (body.messages ?? []) as { content: unknown }[];
  if (!textOf(system?.content).startsWith('You judge')) return undefined;
  return textOf(user?.content);
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map((part: { text?: string }) => part.text ?? '').join('') : '';
}

export function verdict(score: unknown, more: object = {}): Reply {
  const groundedness = { score: 1, unsupportedClaims: [], reason: 'All of it was said.' };
  return { text: JSON.stringify({ score, reason: `It is worth ${String(score)}.`, groundedness, ...more }) };
}

/** Trials are answered by one script, and the judge by another. */
export function judgedBy(trials: Script, judge: (request: Request, text: string) => Reply): Script {
  return (request) => {
    const text = judgeRequest(request);
    return text === undefined ? trials(request) : judge(request, text);
  };
}
