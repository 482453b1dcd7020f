import { z } from 'zod';
import { vocabulary } from './eval-vocabulary.ts';
import { operationsIn } from './operation.ts';
import { Time } from './paging.ts';

const operation = operationsIn({
  area: 'Eval runs',
  path: '/projects/{projectId}/eval-runs/{runId}',
  access: 'project member',
});

const id = z.string().min(1).max(128);

const conditions = {
  maximumPassRateDrop: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe('A fraction; the gate fails when the rate of passed trials fell by more.'),
  noDeterministicRegressions: z
    .boolean()
    .optional()
    .describe('No check that needs no model may have passed then and fail now.'),
  maximumP95LatencyIncreaseMs: z
    .number()
    .min(0)
    .optional()
    .describe('Of the time that trials take, at the 95th percentile.'),
  noGatingScoreErrors: z.boolean().optional().describe('No score that decides may be missing for an error.'),
};

const run = z.strictObject({ kind: z.literal('run'), runId: id });
const commit = z.strictObject({ kind: z.literal('commit_sha'), commitSha: z.string().min(1).max(200) });
const previous = z.strictObject({ kind: z.literal('previous') });
const branch = z.strictObject({ kind: z.literal('branch'), branch: z.string().trim().min(1).max(200) });

/** What a suite asks of its runs beyond their verdict. A condition left out is not looked at. */
export const GatePolicy = z
  .strictObject({
    baseline: z
      .discriminatedUnion('kind', [run, commit, previous, branch], {
        error:
          'Give a run {kind: "run", runId}, a commit {kind: "commit_sha", commitSha}, a branch {kind: "branch", branch} or {kind: "previous"}',
      })
      .optional()
      .describe(
        '`previous` is the last completed run of the whole suite with the same models and client in the same environment; `branch` the last such run on a branch.',
      ),
    ...conditions,
  })
  .meta({ id: 'SuiteGatePolicyV1' });

const Condition = z.object({
  condition: z.enum([
    'noGatingScoreErrors',
    'maximumPassRateDrop',
    'noDeterministicRegressions',
    'maximumP95LatencyIncreaseMs',
  ]),
  status: z.enum(['passed', 'failed', 'non_gateable']),
  message: z.string(),
  reason: z.string().optional().describe('Why it cannot be answered.'),
  observed: z.number().optional(),
  threshold: z.number().optional(),
  scorerId: z.string().optional(),
});

export const getEvalRunGate = operation({
  path: '/gate',
  summary: "Hold a run against its suite's quality gate",
  description:
    'The gate is `settings.qualityGate` of the suite, as it is now; it is asked besides the verdict. A comparison without a baseline cannot be answered: `non_gateable`, which is not passed. A waiver of the run does not cover it.',
  ...vocabulary,
  response: z
    .object({
      schemaVersion: z.literal(1),
      evaluatorVersion: z.literal(1),
      policy: GatePolicy.nullable(),
      policyHash: z.string().nullable(),
      outcome: z.enum(['passed', 'failed', 'non_gateable', 'not_configured']),
      baseline: z
        .object({
          policy: z.string(),
          baseRunId: z.string(),
          baseCommitSha: z.string().optional(),
          baseBranch: z.string().optional(),
        })
        .nullable(),
      conditions: z.array(Condition),
      policyError: z.string().optional(),
    })
    .meta({ id: 'SuiteGateReportV1' }),
});

export const GateWaiver = z
  .object({
    id: z.string(),
    suiteId: z.string(),
    runId: z.string(),
    reason: z.string(),
    expiresAt: Time,
    createdAt: Time,
    createdBy: z.string(),
    createdByEmail: z.string().nullable(),
    revokedAt: Time.nullable(),
    revokedBy: z.string().nullable(),
    active: z.boolean().describe('Neither revoked nor expired when it was read.'),
    policySnapshot: z
      .object({ minimumPassRate: z.number() })
      .nullable()
      .describe('What the run fell short of; `null` when each case is decided by itself.'),
  })
  .meta({ id: 'GateWaiver' });

const Written = z
  .object({
    status: z.enum(['created', 'conflict', 'revoked', 'already_revoked']),
    republishedChecks: z.number().int(),
    waiver: GateWaiver,
  })
  .meta({ id: 'GateWaiverWriteResult' });

/** At midnight, so that the documentation is the same all day. */
const day = 86_400_000;
const inAWeek = (Math.floor(Date.now() / day) + 7) * day;

export const createGateWaiver = operation({
  command: 'eval-runs waive',
  method: 'POST',
  path: '/gate-waivers',
  access: 'project admin',
  summary: 'Let a failed run count as good enough for a while',
  description:
    'For at most 30 days, with a reason. The result of the run stays as it is. While one is active, another is answered with the first and 409.',
  ...vocabulary,
  body: z
    .strictObject({
      reason: z.string().trim().min(1, 'Must say why').max(500),
      expiresAt: z.number().int().min(0).max(8_640_000_000_000_000).describe('In epoch milliseconds.'),
    })
    .meta({ id: 'GateWaiverCreateRequest' }),
  example: { reason: 'Known outage of the weather provider', expiresAt: inAWeek },
  status: 201,
  otherStatuses: { 409: 'One is active already; this is it.' },
  statusOf: ({ status }: { status: string }) => (status === 'conflict' ? 409 : 201),
  response: Written,
});

export const getGateWaiver = operation({
  command: 'eval-runs waiver',
  path: '/gate-waivers',
  summary: "Read a run's waiver",
  description: 'The last one, active or not.',
  ...vocabulary,
  response: z.object({ waiver: GateWaiver.nullable() }).meta({ id: 'GateWaiverRead' }),
});

export const revokeGateWaiver = operation({
  command: 'eval-runs revoke-waiver',
  method: 'DELETE',
  path: '/gate-waivers/{waiverId}',
  access: 'project admin',
  summary: 'Revoke a waiver',
  description: 'One that was revoked before stays as it was.',
  ...vocabulary,
  response: Written,
});
