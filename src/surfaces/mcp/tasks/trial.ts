import { z } from 'zod';
import { Refusal } from '../../../contract/errors.ts';
import type { Client } from '../../client/index.ts';
import { executedItems } from '../../findings/run-report.ts';
import { linkTo } from '../addresses.ts';
import type { Calling } from '../agent.ts';
import { provenanceLabels } from '../answers.ts';
import { withRateLimitRetry } from '../rate-limit-retry.ts';
import { answerSize, tool } from '../tool.ts';
import { runOf, runSelector } from './runs.ts';

type Trial = Awaited<ReturnType<Client['getEvalIteration']>>;

/** A row of `predicateResults`, which the contract does not type because other runners report it too. */
interface CheckResult {
  predicate?: unknown;
  passed?: boolean;
  reason?: string;
  status?: string;
  scope?: { promptIndex?: number };
}

type Message = Awaited<ReturnType<Client['getEvalIterationTrace']>>['messages'][number];

export const readTrial = tool({
  name: 'read_trial',
  title: 'Read a trial',
  description:
    'Explain why a trial of an eval run passed or failed: each failed check with expected and actual values, expected and actual tool calls, then the steps, messages and results. The default is the first failed trial.',
  input: z.strictObject({
    ...runSelector,
    trial: z.string().min(1).max(128).optional().describe('ID of the trial (iteration).'),
    answerSize,
  }),
  run: async (asked, calling) => {
    const { projectId, runId } = await runOf(calling, asked);
    const iterationId = asked.trial ?? (await firstFailed(calling, projectId, runId));
    const place = { projectId, runId, iterationId };
    const { agent, signal } = calling;
    const trial = await withRateLimitRetry(() => agent.client.getEvalIteration(place, { signal }), signal);
    const trace = await withRateLimitRetry(
      () => agent.client.getEvalIterationTrace(place, { signal }),
      signal,
    );
    const steps = await withRateLimitRetry(() => agent.client.getEvalRunSteps(place, { signal }), signal);
    const wrong = steps.items.filter(({ status }) => status === 'fail');
    const checks = failedChecks(trial);
    return {
      ours: [
        `Trial ${iterationId} of run ${runId}: ${trial.result ?? `no result, ${trial.status}`}${trial.firstFailedStage ? ` at stage ${trial.firstFailedStage}` : ''}${trial.finishReason === undefined ? '' : ` (the model ended with ${trial.finishReason})`}. ${checks.length} checks and ${wrong.length} of ${steps.items.length} steps failed, ${trace.messages.length} messages.`,
        ...(trial.warnings ?? []).map(({ code }) => `Warning: ${code}.`),
      ],
      data: {
        provenance: provenanceLabels.run,
        value: {
          error: trial.error,
          failedChecks: checks,
          ...(trial.result !== 'passed' && {
            expectedToolCalls: trial.expectedToolCalls,
            actualToolCalls: trial.actualToolCalls,
          }),
          steps: steps.items.map(({ stepId, kind, status, reason }) => ({
            step: stepId,
            kind,
            status,
            reason,
          })),
          messages: trace.messages.map(inShort),
        },
      },
      full: linkTo('getEvalIterationTrace', place, 'The whole trace'),
    };
  },
});

/** Checks that were not met or could not be evaluated. `expected` is the check as its author wrote it. */
function failedChecks({ predicateResults = [] }: Trial) {
  return (predicateResults as unknown as CheckResult[])
    .filter(({ passed }) => !passed)
    .map(({ predicate, reason, status, scope }) => ({
      expected: predicate,
      actual: reason,
      ...(status === 'error' && { couldNotBeEvaluated: true }),
      ...(scope && { turn: scope.promptIndex }),
    }));
}

async function firstFailed({ agent, signal }: Calling, projectId: string, runId: string): Promise<string> {
  const { diagnostics } = await withRateLimitRetry(
    () => agent.client.getEvalRunDecisionSummary({ projectId, runId, limit: 200 }, { signal }),
    signal,
  );
  const [first] = executedItems(diagnostics.items);
  if (first) return first.iterationId;
  const { items } = await withRateLimitRetry(
    () => agent.client.listEvalRunIterations({ projectId, runId, limit: 200 }, { signal }),
    signal,
  );
  const any = executedItems(items)[0] ?? items[0];
  if (any) return any.id;
  throw new Refusal('NOT_FOUND', `Run ${runId} has no trials yet`);
}

function inShort({ role, content }: Message) {
  return { role, content };
}
