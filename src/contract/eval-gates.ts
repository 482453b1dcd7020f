import { z } from 'zod';
import { vocabulary } from './eval-vocabulary.ts';
import { id } from './fields.ts';
import { operationsIn } from './operation.ts';
import { Time } from './paging.ts';

const operation = operationsIn({
  area: 'Eval runs',
  path: '/projects/{projectId}/eval-runs/{runId}',
  access: 'project member',
});

const conditions = {
  maximumPassRateDrop: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe('Fraction. The gate fails if the pass rate of trials dropped by more.'),
  noDeterministicRegressions: z
    .boolean()
    .optional()
    .describe('The gate fails if a deterministic check passed in the baseline and fails now.'),
  maximumP95LatencyIncreaseMs: z.number().min(0).optional().describe('Increase of the p95 trial duration.'),
  noGatingScoreErrors: z
    .boolean()
    .optional()
    .describe('The gate fails if a deciding score is missing because of an error.'),
};

const run = z.strictObject({ kind: z.literal('run'), runId: id });
const commit = z.strictObject({ kind: z.literal('commit_sha'), commitSha: z.string().min(1).max(200) });
const previous = z.strictObject({ kind: z.literal('previous') });
const branch = z.strictObject({ kind: z.literal('branch'), branch: z.string().trim().min(1).max(200) });

/** Conditions that runs of a suite must meet besides their verdict. All are optional. */
export const GatePolicy = z
  .strictObject({
    baseline: z
      .discriminatedUnion('kind', [run, commit, previous, branch], {
        error:
          'Give a run {kind: "run", runId}, a commit {kind: "commit_sha", commitSha}, a branch {kind: "branch", branch} or {kind: "previous"}',
      })
      .optional()
      .describe(
        '`previous`: last completed run of the whole suite with the same models, client and environment. `branch`: the last such run on a branch.',
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
  reason: z.string().optional().describe('Why the condition could not be evaluated.'),
  observed: z.number().optional(),
  threshold: z.number().optional(),
  scorerId: z.string().optional(),
});

export const getEvalRunGate = operation({
  path: '/gate',
  summary: 'Check a run against the quality gate',
  description:
    'Evaluates the current `settings.qualityGate` of the suite, independently of the verdict. A comparison without a baseline is `non_gateable`, which is not a pass. Waivers do not apply to the gate.',
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
    active: z.boolean().describe('Whether the waiver is neither revoked nor expired.'),
    policySnapshot: z
      .object({ minimumPassRate: z.number() })
      .nullable()
      .describe('Threshold that the run missed. `null` if each case is decided separately.'),
  })
  .meta({ id: 'GateWaiver' });

const Written = z
  .object({
    status: z.enum(['created', 'conflict', 'revoked', 'already_revoked']),
    republishedChecks: z.number().int(),
    waiver: GateWaiver,
  })
  .meta({ id: 'GateWaiverWriteResult' });

/** Rounded to midnight, so that the generated documentation changes only once a day. */
const day = 86_400_000;
const inAWeek = (Math.floor(Date.now() / day) + 7) * day;

export const createGateWaiver = operation({
  command: 'eval-runs waive',
  method: 'POST',
  path: '/gate-waivers',
  access: 'project admin',
  summary: 'Create a waiver for a failed run',
  description:
    'Until it expires, CI treats this run as passing. Requires a reason; limited to 30 days. The result of the run does not change. If a waiver is already active, returns 409 with that waiver.',
  ...vocabulary,
  body: z
    .strictObject({
      reason: z.string().trim().min(1, 'Must not be empty').max(500),
      expiresAt: z.number().int().min(0).max(8_640_000_000_000_000).describe('Epoch milliseconds.'),
    })
    .meta({ id: 'GateWaiverCreateRequest' }),
  example: { reason: 'Known outage of the weather provider', expiresAt: inAWeek },
  status: 201,
  otherStatuses: { 409: 'The waiver that is already active.' },
  statusOf: ({ status }: { status: string }) => (status === 'conflict' ? 409 : 201),
  response: Written,
});

export const getGateWaiver = operation({
  command: 'eval-runs waiver',
  path: '/gate-waivers',
  summary: "Read a run's waiver",
  description: 'Returns the latest waiver, active or not.',
  ...vocabulary,
  response: z.object({ waiver: GateWaiver.nullable() }).meta({ id: 'GateWaiverRead' }),
});

export const revokeGateWaiver = operation({
  command: 'eval-runs revoke-waiver',
  method: 'DELETE',
  path: '/gate-waivers/{waiverId}',
  access: 'project admin',
  summary: 'Revoke a waiver',
  description: 'Idempotent: a revoked waiver does not change.',
  ...vocabulary,
  response: Written,
});
