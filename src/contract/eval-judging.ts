import { z } from 'zod';
import { vocabulary } from './eval-vocabulary.ts';
import { operationsIn } from './operation.ts';

const ofRun = operationsIn({
  area: 'Eval runs',
  access: 'project member',
  path: '/projects/{projectId}/eval-runs/{runId}',
});

const requested = {
  runId: z.string(),
  projectId: z.string(),
  status: z.literal('pending'),
};

export const requestEvalRunJudge = ofRun({
  summary: 'Have a run judged',
  description:
    'Measures for each trial whether its goal was reached and whether its answer is grounded in what tools said. Poll the run; `judges` fills. It never changes a verdict. Without a language model an offline judge counts words. Takes one unit of `insightsPerDay`.',
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
    'Gathers what failed by stage, tool and reason; a language model adds causes and remedies where there is one. Poll the run; `insights` fills. Takes one unit of `insightsPerDay` and no credits.',
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
