import { z } from 'zod';
import { named } from '../../../platform/quoted.ts';
import { linkTo } from '../addresses.ts';
import type { Calling } from '../agent.ts';
import type { Answer } from '../answers.ts';
import { collect, optionsOf } from '../operation-call.ts';
import { operationNamed } from '../operation-facts.ts';
import { explained } from './explanation.ts';

/** Default wait in seconds. Agents without progress time out after a minute. */
const defaultWait = { reporting: 900, silent: 45 };

/** Arguments that tools starting a run share. */
export const waiting = {
  repetitions: z.number().int().min(1).max(10).optional().describe('Trials per case.'),
  notes: z.string().max(5000).optional(),
  waitSeconds: z
    .number()
    .int()
    .min(0)
    .max(3600)
    .optional()
    .describe(
      'How long to wait; 0 only starts the run. The default is long for clients that receive progress.',
    ),
  cancelIfAbandoned: z
    .boolean()
    .default(false)
    .describe('Cancel the run when this call is cancelled or the connection ends.'),
  idempotencyKey: z
    .string()
    .max(256)
    .optional()
    .describe('A repeated call with the same key starts no second run.'),
};

interface Waiting {
  waitSeconds?: number | undefined;
  cancelIfAbandoned: boolean;
}

interface StartedRun {
  projectId: string;
  runId: string;
  sentence: string;
}

/** Records the run as created, follows it, and explains it if it ends in time. */
export async function outcomeOf(calling: Calling, run: StartedRun, input: Waiting): Promise<Answer> {
  const { projectId, runId, sentence } = run;
  const next = `The run continues in the background. Call explain_run with run ${runId} for its result.`;
  const links = [linkTo('getEvalRun', { projectId, runId }, 'The run')];
  calling.made.push({ sentence, next, links });
  const wait = input.waitSeconds ?? defaultWait[calling.reporting ? 'reporting' : 'silent'];
  try {
    const over = wait > 0 && (await follow(calling, projectId, runId, wait));
    if (over) return await explained(calling, projectId, runId);
  } finally {
    if (calling.abandoned() && input.cancelIfAbandoned) await cancel(calling, projectId, runId);
  }
  return { ours: [sentence, next], links };
}

/** The options of an operation that starts a run: the launcher label and the idempotency key. */
export function launchOptions(
  id: 'createEvalRun' | 'rerunEvalRun',
  idempotencyKey: string | undefined,
  calling: Calling,
): ReturnType<typeof optionsOf> {
  const operation = operationNamed(id);
  return operation ? optionsOf(operation, { idempotencyKey }, calling) : { signal: calling.signal };
}

/** Whether the run ended in time. */
async function follow(calling: Calling, projectId: string, runId: string, seconds: number): Promise<boolean> {
  const { client } = calling.agent;
  let decided = false;
  const { over } = await collect(
    (signal) => client.watchEvalRun({ projectId, runId }, { signal }),
    seconds * 1000,
    calling,
    (event) => {
      if (event.type === 'run.started') calling.progress(0, event.trials, 'The run has started');
      if (event.type === 'trial.finished')
        calling.progress(
          event.finished,
          event.trials,
          `${event.finished} of ${event.trials} trials done; ${event.result ?? event.status}: ${named(event.title)}`,
        );
      decided ||= event.type === 'run.decided';
      return true;
    },
  );
  return over || decided;
}

/** Cancels a run. Ignores errors: the agent is gone, and the run may be over already. */
async function cancel({ agent }: Calling, projectId: string, runId: string): Promise<void> {
  await agent.client.cancelEvalRun({ projectId, runId }).catch(() => {});
}
