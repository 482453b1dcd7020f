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
  summary: 'Have a run judged',
  description:
    'Measures for each trial whether its goal was reached and whether its answer is grounded in what tools said. Poll the run; `judges` fills. It never changes a verdict. Without a language model an offline judge counts words, which is advice and never gates. Takes one unit of `insightsPerDay`.',
  method: 'POST',
  path: '/judge',
  ...vocabulary,
  body: z
    .strictObject({
      force: z.boolean().optional().describe('Judge again what was judged, or is being judged.'),
      enable: z.boolean().optional().describe('Also when the suite has its judge switched off.'),
      model: z.string().trim().min(1).max(300).optional(),
      threshold: z.number().min(0).max(1).optional(),
    })
    .meta({ id: 'EvalRunJudgeRequest', description: 'What is left out is as the suite says it.' }),
  example: {},
  status: 202,
  response: z.object(requested).meta({ id: 'EvalRunJudgeRequested' }),
  errors: ['CONFLICT'],
  spends: true,
});

export const requestEvalRunInsights = ofRun({
  summary: 'Ask for insights into a run',
  description:
    'Gathers what failed by stage, tool and reason; a language model adds causes and remedies where there is one. Poll the run; `insights` fills. Takes one unit of `insightsPerDay`; what the language model costs is billed.',
  method: 'POST',
  path: '/insights',
  ...vocabulary,
  body: z
    .strictObject({ force: z.boolean().optional().describe('Ask again, which takes another unit.') })
    .meta({ id: 'EvalRunInsightsRequest' }),
  example: {},
  status: 202,
  response: z.object(requested).meta({ id: 'EvalRunInsightsRequested' }),
  errors: ['CONFLICT'],
  spends: true,
});

export const backtestEvalRunJudge = ofRun({
  command: 'eval-runs backtest-judge',
  summary: 'Try a draft of a rubric on a run',
  description:
    'Judges what was recorded by another rubric, a page at a time, and changes nothing. Send the same rubric again with `cursor`, `sourceHash` and `reservationId` of the answer as `continuation` until `isDone`. A page that was answered is answered again without asking a model. The first page takes one unit of `insightsPerDay`.',
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
        .describe('`null`: by the objective of the case alone.'),
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
        .describe('`wordCount`: the offline judge counted words. The draft scores are advice.'),
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
  summary: 'Try a draft of checks on a run',
  description:
    'Grades what was recorded by other assertions and says which trials would end otherwise. Asks no model and changes nothing. Up to 100 trials an answer: send the same draft again with `continuation` until `complete`. A new draft can be tried a minute after the last.',
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
        ungradable: z.number().int().describe('What was recorded of them does not suffice.'),
        flipped: z.number().int(),
      }),
      differences: z.array(open),
      modelUse: z.literal('none'),
      continuation: continuation.optional(),
    })
    .meta({ id: 'EvalBacktestReport' }),
  errors: ['CONFLICT', 'TIMEOUT'],
});
