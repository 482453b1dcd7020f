import { z } from 'zod';
import { count } from './fields.ts';
import { liveErrors } from './live.ts';
import { operation } from './operation.ts';

const side = z.object({
  isError: z.boolean(),
  preview: z.string().describe('Beginning of the result.'),
});

const ReplayedCall = z
  .object({
    iterationId: z
      .string()
      .describe('A trial with this call in its trace. Others may have made the same call.'),
    serverId: z.string(),
    toolName: z.string(),
    arguments: z
      .record(z.string(), z.unknown())
      .describe('Large values are replaced by `{cut: true, characters}`. The trace has them in full.'),
    outcome: z
      .enum(['same', 'content', 'schema', 'error', 'skipped', 'unavailable'])
      .describe(
        '`content`: same types and keys, different values. `schema`: different types or keys, or the result no longer matches the output schema. `error`: only one of the calls failed, or the tool no longer exists. `skipped`: not called again. `unavailable`: the server did not respond.',
      ),
    reason: z.string().optional(),
    before: side.optional(),
    after: side.optional(),
    pointers: z.array(z.string()).describe('JSON pointers to the first 20 differences in the result.'),
    durationMs: count.optional(),
  })
  .meta({ id: 'ReplayedCall' });

export const replayEvalRun = operation({
  area: 'Eval runs',
  access: 'project member',
  summary: 'Replay the tool calls of a run',
  description:
    'Repeats the recorded tool calls of a finished run on its servers, without calling a model. Calls of the same tool with the same arguments are made once. Only tools that declare `readOnlyHint` are called, unless `includeWrites` is set. Requests take up to 30 seconds; use `nextCursor` to continue.',
  method: 'POST',
  path: '/projects/{projectId}/eval-runs/{runId}/replay',
  body: z
    .strictObject({
      includeWrites: z.boolean().default(false).describe('Also call tools that are not read-only.'),
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
              '`failed`: a call is `schema` or `error`. `incomplete`: no call failed, but one is `unavailable` or none was made.',
            ),
        })
        .describe('Counts of the calls in this response.'),
      items: z.array(ReplayedCall),
      nextCursor: z.string().optional(),
      truncated: z
        .boolean()
        .describe('Whether the run has more than 2,000 different calls. The others are omitted.'),
    })
    .meta({ id: 'EvalReplay' }),
  errors: [...liveErrors, 'CONFLICT'],
  readOnly: true,
  callsTools: true,
  bulky: true,
});
