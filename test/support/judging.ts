import { setTimeout as delay } from 'node:timers/promises';
import { type Evals, promptCase } from './evals.ts';
import { callThenAnswer, type Reply, type Script } from './scripted-provider.ts';

type Request = Parameters<Script>[0];

/** The judge's input without its instructions; undefined for a request to another role. */
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

/** Answers trials with one script, and the judge with another. */
export function judgedBy(trials: Script, judge: (request: Request, text: string) => Reply): Script {
  return (request) => {
    const text = judgeRequest(request);
    return text === undefined ? trials(request) : judge(request, text);
  };
}

/** The trial script of most tests of judges. */
export const inspects = callThenAnswer(
  { name: 'inspect_hull', input: { ship: 'Albatross' } },
  'Plates 12, 13 and 88 of the Albatross are rusty.',
);
export const inspection = {
  ...promptCase('Inspects', 'May the Albatross sail?', { type: 'responseContains', needle: 'rusty' }),
  expectedOutput: 'Plates 12, 13 and 88 are rusty',
};

/** A suite of that case with so many repetitions and these judge settings. */
export async function suiteJudged(
  evals: Evals,
  serverId: string,
  judge: object,
  repetitions = 2,
): Promise<string> {
  const tests = [inspection];
  const suiteId = await evals.suite({ serverIds: [serverId], repetitions, passThreshold: 1, tests });
  const path = `${evals.project}/eval-suites/${suiteId}`;
  const { status, text } = await evals.service.patch(path, { settings: { judge } });
  if (status !== 200) throw new Error(`${status} ${text}`);
  return suiteId;
}

/** The judges of a run, once they are no longer pending. */
// Tests read arbitrary answers.
// oxlint-disable-next-line typescript/no-explicit-any
export async function judgesOf(evals: Evals, runId: string): Promise<any> {
  for (const until = Date.now() + 20_000; Date.now() < until; await delay(25)) {
    const { judges } = await evals.read(runId);
    if (judges.goalCompletion.status !== 'pending') return judges;
  }
  throw new Error('still pending');
}
