import { z } from 'zod';
import { EvalCheck, MatchOptions } from './eval-checks.ts';
import { Rubric } from './eval-suites.ts';
import { vocabulary } from './eval-vocabulary.ts';
import { operationsIn } from './operation.ts';

const ofRun = operationsIn({
  area: 'Eval runs',
  access: 'project member',
  path: '/projects/{projectId}/eval-runs/{runId}',
});

const open = z.record(z.string(), z.unknown());
const hash = z.string().regex(/^[a-f0-9]{64}$/, 'Must be a SHA-256 in hex');

const requested = {
  runId: z.string(),
  projectId: z.string(),
  status: z.literal('pending'),
};

export const requestEvalRunJudge = ofRun({
  summary: 'Judge a run',
  description:
    'Scores for each trial whether the goal was reached and whether the answer is grounded in tool results. Poll the run for `judges`. Judging never changes a verdict. Without a language model, an offline judge counts words; its scores are advisory. Uses one unit of `insightsPerDay`.',
  method: 'POST',
  path: '/judge',
  ...vocabulary,
  body: z
    .strictObject({
      force: z.boolean().optional().describe('Judge again, even if the run is judged or being judged.'),
      enable: z
        .boolean()
        .optional()
        .describe('Judge even if the judge was switched off when the run was launched.'),
      model: z.string().trim().min(1).max(300).optional(),
      threshold: z.number().min(0).max(1).optional(),
    })
    .meta({
      id: 'EvalRunJudgeRequest',
      description: 'Omitted fields default to the judge settings at the launch of the run.',
    }),
  example: {},
  status: 202,
  response: z.object(requested).meta({ id: 'EvalRunJudgeRequested' }),
  errors: ['CONFLICT'],
  spends: true,
});

export const requestEvalRunInsights = ofRun({
  summary: 'Request insights into a run',
  description:
    'Groups failures by stage, tool and reason. If a language model is configured, it adds causes and remedies, which is billed. Poll the run for `insights`. Uses one unit of `insightsPerDay`.',
  method: 'POST',
  path: '/insights',
  ...vocabulary,
  body: z
    .strictObject({ force: z.boolean().optional().describe('Request again. Uses another unit.') })
    .meta({ id: 'EvalRunInsightsRequest' }),
  example: {},
  status: 202,
  response: z.object(requested).meta({ id: 'EvalRunInsightsRequested' }),
  errors: ['CONFLICT'],
  spends: true,
});

export const backtestEvalRunJudge = ofRun({
  command: 'eval-runs backtest-judge',
  summary: 'Test a rubric draft on a run',
  description:
    'Judges recorded trials with another rubric, one page per request, without changing the run. Repeat the request with `cursor`, `sourceHash` and `reservationId` of the response as `continuation` until `isDone`. Repeating a page does not call the model again. The first page uses one unit of `insightsPerDay`.',
  method: 'POST',
  path: '/judge/backtest',
  ...vocabulary,
  body: z
    .strictObject({
      rubric: Rubric.extend({
        instructions: z.string().min(1).max(2000).optional(),
        criteria: Rubric.shape.criteria.optional(),
      })
        .nullable()
        .describe('`null`: judged by the objective of the case alone.'),
      continuation: z
        .strictObject({
          cursor: z.number().int().min(1),
          sourceHash: hash,
          reservationId: z.string().min(1).max(128),
        })
        .optional(),
    })
    .meta({ id: 'EvalJudgeBacktestRequest' }),
  example: { rubric: { criteria: [{ id: 'names-ships', label: 'Names every ship' }] } },
  response: z
    .object({
      ok: z.boolean(),
      cases: z.array(open),
      basis: z
        .enum(['model', 'wordCount'])
        .optional()
        .describe('`wordCount`: the offline judge counted words. Draft scores are advisory.'),
      cursor: z.number().int(),
      sourceHash: z.string(),
      reservationId: z.string(),
      isDone: z.boolean(),
    })
    .meta({ id: 'EvalJudgeBacktest' }),
  errors: ['CONFLICT', 'SERVER_UNREACHABLE', 'TIMEOUT'],
  spends: true,
});

const word = z.string().min(1).max(256);
const continuation = z
  .strictObject({
    cursor: z.string().min(1).max(8192),
    sourceHash: word,
    reservationId: word,
    draftHash: word,
  })
  .meta({ id: 'EvalBacktestContinuation' });

export const backtestEvalRun = ofRun({
  summary: 'Test draft checks on a run',
  description:
    'Grades recorded trials with other assertions and lists the trials whose outcome would change. Calls no model and changes nothing. Up to 100 trials per response: repeat the draft with `continuation` until `complete`. Limit: one new draft per minute.',
  method: 'POST',
  path: '/backtest',
  ...vocabulary,
  body: z
    .strictObject({
      assertions: z.strictObject({
        mode: z.enum(['replace', 'extend', 'inherit']),
        list: z.array(EvalCheck).max(25),
      }),
      matchOptions: MatchOptions.nullable().optional(),
      continuation: continuation.optional(),
    })
    .meta({ id: 'EvalBacktestDraft' }),
  example: { assertions: { mode: 'extend', list: [{ type: 'noToolErrors' }] } },
  response: z
    .object({
      schemaVersion: z.literal(1),
      sourceRunId: z.string(),
      sourceHash: z.string(),
      draftHash: z.string(),
      configRevision: z.number().int(),
      complete: z.boolean(),
      continuationAvailable: z.boolean(),
      counts: z.object({
        iterations: z.number().int(),
        comparable: z.number().int(),
        ungradable: z.number().int().describe('Trials whose recording is insufficient.'),
        flipped: z.number().int(),
      }),
      differences: z.array(open),
      modelUse: z.literal('none'),
      continuation: continuation.optional(),
    })
    .meta({ id: 'EvalBacktestReport' }),
  errors: ['CONFLICT', 'TIMEOUT'],
});
