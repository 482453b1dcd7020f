import { z } from 'zod';
import { named } from '../../../platform/quoted.ts';
import { linkTo } from '../addresses.ts';
import type { Calling } from '../agent.ts';
import type { Answer } from '../answers.ts';
import { collect, optionsOf } from '../operation-call.ts';
import { operationNamed } from '../operation-facts.ts';
import { explained } from './explanation.ts';

/** An agent that receives progress waits; others give up after a minute. In seconds. */
const patience = { reporting: 900, silent: 45 };

/** What tools that start a run take besides. */
export const waiting = {
  repetitions: z.number().int().min(1).max(10).optional().describe('Trials of each case.'),
  notes: z.string().max(5000).optional(),
  waitSeconds: z
    .number()
    .int()
    .min(0)
    .max(3600)
    .optional()
    .describe('How long to wait; 0 only starts the run. If left out, long for clients that show progress.'),
  cancelIfAbandoned: z
    .boolean()
    .default(false)
    .describe('Cancel the run when this call is cancelled or the connection ends.'),
  idempotencyKey: z.string().max(256).optional().describe('The same key again starts no second run.'),
};

interface Waiting {
  waitSeconds?: number | undefined;
  cancelIfAbandoned: boolean;
}

interface StartedRun {
  projectId: string;
  runId: string;
  /** Names the run. */
  sentence: string;
}

/** Notes the run as made, follows it, and explains it when it is over in time. */
export async function outcomeOf(calling: Calling, run: StartedRun, input: Waiting): Promise<Answer> {
  const { projectId, runId, sentence } = run;
  const next = `The run goes on by itself. Ask explain_run with run ${runId} for its outcome.`;
  const links = [linkTo('getEvalRun', { projectId, runId }, 'The run')];
  calling.made.push({ sentence, next, links });
  const wait = input.waitSeconds ?? patience[calling.reporting ? 'reporting' : 'silent'];
  try {
    const over = wait > 0 && (await follow(calling, projectId, runId, wait));
    if (over) return await explained(calling, projectId, runId);
  } finally {
    if (calling.abandoned() && input.cancelIfAbandoned) await cancel(calling, projectId, runId);
  }
  return { ours: [sentence, next], links };
}

/** The options of an operation that starts a run: who starts it, and the key against repetition. */
export function launchOptions(
  id: 'createEvalRun' | 'rerunEvalRun',
  idempotencyKey: string | undefined,
  calling: Calling,
): ReturnType<typeof optionsOf> {
  const operation = operationNamed(id);
  return operation ? optionsOf(operation, { idempotencyKey }, calling) : { signal: calling.signal };
}

/** Whether it came to its end in time. */
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

/** The agent is gone and hears nothing of it; the run may be over already. */
async function cancel({ agent }: Calling, projectId: string, runId: string): Promise<void> {
  await agent.client.cancelEvalRun({ projectId, runId }).catch(() => {});
}
