import { z } from 'zod';
import { named } from '../../../platform/quoted.ts';
import { linkTo } from '../addresses.ts';
import type { Calling } from '../agent.ts';
import type { Answer } from '../answers.ts';
import { environmentOf, projectOf, suiteOf } from '../names.ts';
import { collect, optionsOf } from '../operation-call.ts';
import { operationNamed } from '../operation-facts.ts';
import { patiently } from '../patience.ts';
import { answerSize, tool } from '../tool.ts';
import { project, suite } from './arguments.ts';
import { explained } from './explanation.ts';

/** Whoever hears of progress waits; others give up after a minute. In seconds. */
const patience = { reporting: 900, silent: 45 };

export const runSuite = tool({
  name: 'run_suite',
  title: 'Run a suite and explain what failed',
  description:
    'Run an eval suite, follow it to its end with progress, then say what came of it: the verdict with its interval, which cases failed and why, links to traces. A run that takes longer than the wait goes on; explain_run tells of it later.',
  spends: true,
  // A model calls tools of the servers, which may do anything there.
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    suite,
    project,
    environment: z.string().min(1).max(300).optional().describe('Name or id of an environment to run in.'),
    cases: z
      .array(z.string().min(1).max(128))
      .min(1)
      .max(500)
      .optional()
      .describe('Ids of cases; all if left out.'),
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
    answerSize,
  }),
  run: async (input, calling) => {
    const { id: projectId } = await projectOf(calling, input.project);
    const { id: suiteId, name } = await suiteOf(calling, projectId, input.suite);
    const runId = await launch(calling, projectId, suiteId, input);
    const started = `Suite ${named(name)} was started as run ${runId}.`;
    const wait = input.waitSeconds ?? patience[calling.reporting ? 'reporting' : 'silent'];
    try {
      const over = wait > 0 && (await follow(calling, projectId, runId, wait));
      if (over) return await explained(calling, projectId, runId);
    } finally {
      if (calling.abandoned() && input.cancelIfAbandoned) await cancel(calling, projectId, runId);
    }
    return later(started, projectId, runId);
  },
});

function later(started: string, projectId: string, runId: string): Answer {
  return {
    ours: [
      started,
      `It is still running and goes on by itself. Ask explain_run with run ${runId} for what comes of it.`,
    ],
    links: [linkTo('getEvalRun', { projectId, runId }, 'The run')],
  };
}

interface Launch {
  environment?: string | undefined;
  cases?: string[] | undefined;
  repetitions?: number | undefined;
  notes?: string | undefined;
  idempotencyKey?: string | undefined;
}

async function launch(calling: Calling, projectId: string, suiteId: string, input: Launch): Promise<string> {
  const { environment, cases, repetitions, notes, idempotencyKey } = input;
  const environmentId =
    environment === undefined ? undefined : (await environmentOf(calling, projectId, environment)).id;
  const body = {
    suiteId,
    ...(environmentId !== undefined && { environmentId }),
    ...(cases && { caseIds: cases }),
    ...(repetitions !== undefined && { iterationOverride: repetitions }),
    ...(notes !== undefined && { notes }),
  };
  const operation = operationNamed('createEvalRun');
  const options = operation ? optionsOf(operation, { idempotencyKey }, calling) : { signal: calling.signal };
  const { runId } = await patiently(
    () => calling.agent.client.createEvalRun({ projectId, body }, options),
    calling.signal,
  );
  return runId;
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

/** The agent is gone, so this is said to nobody; the run may be over already. */
async function cancel({ agent }: Calling, projectId: string, runId: string): Promise<void> {
  await agent.client.cancelEvalRun({ projectId, runId }).catch(() => {});
}
