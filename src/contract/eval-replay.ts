import { z } from 'zod';
import { liveErrors } from './live.ts';
import { operation } from './operation.ts';

const count = z.number().int().min(0);
const side = z.object({
  isError: z.boolean(),
  preview: z.string().describe('The beginning of what it says.'),
});

const ReplayedCall = z
  .object({
    iterationId: z
      .string()
      .describe('The trial whose trace has the call; others may have made the same one.'),
    serverId: z.string(),
    toolName: z.string(),
    arguments: z
      .record(z.string(), z.unknown())
      .describe('Large ones are left out: `{cut: true, characters}`; the trace has them.'),
    outcome: z
      .enum(['same', 'content', 'schema', 'error', 'skipped', 'unavailable'])
      .describe(
        '`content`: the same types and keys, other values. `schema`: other types or keys, or it no longer fits the output schema. `error`: one failed and the other did not, or the tool is gone. `skipped`: not called again. `unavailable`: the server gave no answer.',
      ),
    reason: z.string().optional(),
    before: side.optional(),
    after: side.optional(),
    pointers: z.array(z.string()).describe('JSON pointers into the result, where it differs; the first 20.'),
    durationMs: count.optional(),
  })
  .meta({ id: 'ReplayedCall' });

export const replayEvalRun = operation({
  area: 'Eval runs',
  access: 'project member',
  summary: "Make a run's tool calls again",
  description:
    'Takes the tool calls from the traces of a run that has ended and makes them on its servers as they are now, each once: calls of the same tool with the same arguments are one. No model is asked. Only tools that say they are read-only are called, unless `includeWrites`. A request takes half a minute at most; `nextCursor` goes on with the rest.',
  method: 'POST',
  path: '/projects/{projectId}/eval-runs/{runId}/replay',
  body: z
    .strictObject({
      includeWrites: z.boolean().default(false).describe('Also call tools that may change something.'),
      iterationIds: z.array(z.string().min(1).max(128)).min(1).max(200).optional(),
      tools: z.array(z.string().min(1).max(1000)).min(1).max(200).optional().describe('Only these tools.'),
      cursor: z.string().max(32_768).optional(),
      limit: z.number().int().min(1).max(200).default(100),
    })
    .meta({ id: 'EvalReplayRequest' }),
  example: {},
  status: 200,
  response: z
    .object({
      summary: z
        .object({
          calls: count,
          same: count,
          content: count,
          schema: count,
          error: count,
          skipped: count,
          unavailable: count,
          result: z
            .enum(['passed', 'failed', 'incomplete'])
            .describe(
              '`failed` when a call is `schema` or `error`. `incomplete` when none is, and one is `unavailable` or none was made.',
            ),
        })
        .describe('Of the calls in this answer.'),
      items: z.array(ReplayedCall),
      nextCursor: z.string().optional(),
      truncated: z.boolean().describe('The run has more than 2,000 different calls; the rest is left out.'),
    })
    .meta({ id: 'EvalReplay' }),
  errors: [...liveErrors, 'CONFLICT'],
  readOnly: true,
  callsTools: true,
  bulky: true,
});
