import { z } from 'zod';
import { operationsIn } from './operation.ts';
import { Time } from './paging.ts';

const operation = operationsIn({
  area: 'Eval suites',
  path: '/projects/{projectId}/eval-suites',
  access: 'project member',
});

const id = z.string().min(1).max(128);
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
  summary: 'Say where a run of a suite would send what',
  description:
    'The models it would ask and where they are, what looks at the evidence, what is kept and for how long. Nothing runs. `environmentId`, `environmentIds` and `host` exclude each other.',
  path: '/{suiteId}/run-disclosure',
  query: z.object({
    caseIds: csv.describe('With commas between them; left out, all cases.'),
    environmentId: id.optional(),
    environmentIds: csv.describe('With commas between them.'),
    host: z.string().trim().min(1).max(200).optional().describe('A client of the suite, by name or id.'),
  }),
  response: z
    .object({
      contractVersion: z.literal(1),
      computedAt: Time,
      digest: z.string().describe('SHA-256 of all of it but the time.'),
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
              rail: z.string().describe('The host that is asked, or `in-process`.'),
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
