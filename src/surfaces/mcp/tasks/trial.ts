import { z } from 'zod';
import { Refusal } from '../../../contract/errors.ts';
import type { Client } from '../../client/index.ts';
import { linkTo } from '../addresses.ts';
import type { Calling } from '../agent.ts';
import { whose } from '../answers.ts';
import { patiently } from '../patience.ts';
import { answerSize, tool } from '../tool.ts';
import { runOf, which } from './runs.ts';

type Message = Awaited<ReturnType<Client['getEvalIterationTrace']>>['messages'][number];

export const readTrial = tool({
  name: 'read_trial',
  title: 'Read what happened in a trial',
  description:
    'What was said and called in one trial of an eval run, step by step: messages, tool calls, results, and how each step was judged. Without a trial it takes the first that failed.',
  input: z.strictObject({
    ...which,
    trial: z.string().min(1).max(128).optional().describe('Id of the trial (iteration).'),
    answerSize,
  }),
  run: async (asked, calling) => {
    const { projectId, runId } = await runOf(calling, asked);
    const iterationId = asked.trial ?? (await firstFailed(calling, projectId, runId));
    const place = { projectId, runId, iterationId };
    const { agent, signal } = calling;
    const trace = await patiently(() => agent.client.getEvalIterationTrace(place, { signal }), signal);
    const steps = await patiently(() => agent.client.getEvalRunSteps(place, { signal }), signal);
    const wrong = steps.items.filter(({ status }) => status === 'fail');
    return {
      ours: [
        `Trial ${iterationId} of run ${runId}: ${steps.items.length} steps, ${wrong.length} failed, ${trace.messages.length} messages.`,
      ],
      data: {
        whose: whose.run,
        value: {
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

async function firstFailed({ agent, signal }: Calling, projectId: string, runId: string): Promise<string> {
  const { diagnostics } = await patiently(
    () => agent.client.getEvalRunDecisionSummary({ projectId, runId, limit: 200 }, { signal }),
    signal,
  );
  const [first] = diagnostics.items;
  if (first) return first.iterationId;
  const { items } = await patiently(
    () => agent.client.listEvalRunIterations({ projectId, runId, limit: 1 }, { signal }),
    signal,
  );
  if (items[0]) return items[0].id;
  throw new Refusal('NOT_FOUND', `Run ${runId} has no trials yet`);
}

function inShort({ role, content }: Message) {
  return { role, content };
}
