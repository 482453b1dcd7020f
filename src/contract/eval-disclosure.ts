import { z } from 'zod';
import { id } from './fields.ts';
import { operationsIn } from './operation.ts';
import { Time } from './paging.ts';

const operation = operationsIn({
  area: 'Eval suites',
  path: '/projects/{projectId}/eval-suites',
  access: 'project member',
});

const open = z.record(z.string(), z.unknown());

const csv = z
  .string()
  .min(1)
  .max(10_000)
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  )
  .optional();

export const getEvalRunDisclosure = operation({
  command: 'eval-runs disclosure',
  summary: 'Preview the data flow of a run',
  description:
    'Lists the models that a run would call and their hosts, the judges that would read the evidence, and the stored data with its retention. Does not start a run. `environmentId`, `environmentIds` and `host` are mutually exclusive.',
  path: '/{suiteId}/run-disclosure',
  query: z.object({
    caseIds: csv.describe('Comma-separated. Default: all cases.'),
    environmentId: id.optional(),
    environmentIds: csv.describe('Comma-separated.'),
    host: z.string().trim().min(1).max(200).optional().describe('A client of the suite, by name or ID.'),
  }),
  response: z
    .object({
      contractVersion: z.literal(1),
      computedAt: Time,
      digest: z.string().describe('SHA-256 of the document without its timestamps.'),
      execution: z
        .object({
          engine: z.literal('emulated'),
          sandbox: z.object({ engaged: z.literal(false), because: z.string() }),
          locus: z.object({ known: z.literal(true), hosted: z.literal(false), reason: z.string() }),
          models: z.array(
            z.object({
              id: z.string(),
              provider: z.string(),
              egress: z.enum(['mcpjam-hosted', 'byok-cloud', 'byok-local', 'unknown']),
              rail: z.string().describe('Host that receives the requests, or `in-process`.'),
            }),
          ),
          modelsUnresolved: z.object({ reason: z.string() }).optional(),
        })
        .optional(),
      executionAbsence: z
        .object({ kind: z.enum(['ingested-run', 'plan-unresolved']), reason: z.string() })
        .optional(),
      analysis: z.array(open),
      capture: open,
      retention: z.object({ kind: z.string(), note: z.string() }),
      region: z.object({ stated: z.literal(false), reason: z.string() }),
      subprocessors: z.array(open),
    })
    .meta({ id: 'EvalRunDisclosure' }),
  errors: ['CONFLICT', 'OAUTH_REQUIRED', 'FEATURE_NOT_SUPPORTED'],
});
