import { z } from 'zod';
import { named } from '../../../platform/quoted.ts';
import { environmentOf, projectOf, suiteOf } from '../names.ts';
import { withRateLimitRetry } from '../rate-limit-retry.ts';
import { answerSize, tool } from '../tool.ts';
import { project, suite } from './arguments.ts';
import { runOf, runSelector } from './runs.ts';
import { launchOptions, outcomeOf, waiting } from './started-run.ts';

/** Not read-only: a model calls tools of the servers, which may have any effect. */
const hints = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };

export const runSuite = tool({
  name: 'run_suite',
  title: 'Run a suite and explain what failed',
  description:
    'Run an eval suite, report progress, then explain the result: the verdict with its interval, which cases failed and why, and links to traces. A run that outlasts the wait continues; call explain_run later.',
  spends: true,
  hints,
  input: z.strictObject({
    suite,
    project,
    environment: z.string().min(1).max(300).optional().describe('Name or ID of the environment to run in.'),
    cases: z
      .array(z.string().min(1).max(128))
      .min(1)
      .max(500)
      .optional()
      .describe('Case IDs (default: all).'),
    ...waiting,
    answerSize,
  }),
  run: async (input, calling) => {
    const { id: projectId } = await projectOf(calling, input.project);
    const { id: suiteId, name } = await suiteOf(calling, projectId, input.suite);
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
    const options = launchOptions('createEvalRun', idempotencyKey, calling);
    const { runId } = await withRateLimitRetry(
      () => calling.agent.client.createEvalRun({ projectId, body }, options),
      calling.signal,
    );
    const sentence = `Suite ${named(name)} was started as run ${runId}.`;
    return outcomeOf(calling, { projectId, runId, sentence }, input);
  },
});

export const rerunFailed = tool({
  name: 'rerun_failed',
  title: 'Rerun failed cases',
  description:
    'Rerun the cases of an eval run that failed or were not measured, as a new run, and explain the result like run_suite.',
  spends: true,
  hints,
  input: z.strictObject({ ...runSelector, ...waiting, answerSize }),
  run: async (input, calling) => {
    const { projectId, runId: first } = await runOf(calling, input);
    const { repetitions, notes, idempotencyKey } = input;
    const body = {
      ...(repetitions !== undefined && { iterationOverride: repetitions }),
      ...(notes !== undefined && { notes }),
    };
    const options = launchOptions('rerunEvalRun', idempotencyKey, calling);
    const { runId } = await withRateLimitRetry(
      () => calling.agent.client.rerunEvalRun({ projectId, runId: first, body }, options),
      calling.signal,
    );
    const sentence = `The cases of run ${named(first, 128)} that did not pass were started as run ${runId}.`;
    return outcomeOf(calling, { projectId, runId, sentence }, input);
  },
});
