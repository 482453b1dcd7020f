import { z } from 'zod';
import { declaredSuiteId, EvalDeleted, InlineCase } from './eval-cases.ts';
import { EvalCheck, MatchOptions } from './eval-checks.ts';
import { GatePolicy } from './eval-gates.ts';
import { vocabulary } from './eval-vocabulary.ts';
import { EvalWarning } from './eval-warnings.ts';
import { id, Name } from './fields.ts';
import { liveErrors } from './live.ts';
import { operationsIn } from './operation.ts';
import { lookupPage, pageOf, Time } from './paging.ts';

const operation = operationsIn({
  area: 'Eval suites',
  path: '/projects/{projectId}/eval-suites',
  access: 'project member',
});

const fraction = z.number().min(0).max(1);
const open = z.record(z.string(), z.unknown());
export const description = z.string().max(5000);
const model = z.string().trim().min(1).max(300);
export const systemPrompt = z.string().max(100_000);
export const temperature = z.number().min(0).max(2);
const serverNames = z.array(z.string().trim().min(1).max(200)).max(100);

/** Maximum number of environments attached to a suite. */
export const maxEnvironments = 100;

/** Share of trials that must pass, in percent. */
export const PassCriteria = z
  .strictObject({
    minimumPassRatePercent: z.number().min(0).max(100).optional(),
    minimumPassRate: z
      .number()
      .min(0)
      .max(100)
      .refine(
        (percent) => percent === 0 || percent >= 1,
        'Is in percent: write 80 for 80%, or use minimumPassRatePercent for less than 1%',
      )
      .optional(),
  })
  .refine(
    ({ minimumPassRatePercent, minimumPassRate }) =>
      (minimumPassRatePercent === undefined) !== (minimumPassRate === undefined),
    'Give exactly one of minimumPassRatePercent and minimumPassRate',
  )
  .meta({ id: 'EvalPassCriteria' });

export const SuiteHosts = z
  .array(
    z.strictObject({
      host: z.string().trim().min(1).max(200).describe('A client, by name or ID.'),
      servers: serverNames.optional(),
    }),
  )
  .max(20);

export const caseUpsert = z.object({
  committed: z.array(z.object({ id: z.string().optional(), name: z.string() })),
  failed: z.array(z.object({ id: z.string().optional(), name: z.string().optional(), error: z.string() })),
});
export const namedServers = z.array(z.object({ id: z.string(), name: z.string().optional() }));

const Schedule = z
  .object({
    enabled: z.boolean(),
    intervalMinutes: z.number().int().nullable(),
    environmentId: z.string().nullable(),
    state: z.enum(['active', 'paused_quota', 'paused_auth', 'paused_failures']).nullable(),
    createdBy: z.string().nullable().describe('User that scheduled runs act as.'),
    nextDueAt: Time.nullable(),
    consecutiveFailures: z.number().int(),
  })
  .meta({ id: 'EvalSuiteSchedule' });

const EvalSuite = z
  .object({
    id: z.string(),
    name: z.string().nullable(),
    projectId: z.string(),
    createdAt: Time,
    updatedAt: Time,
    latestRun: z
      .object({
        id: z.string(),
        status: z.string(),
        result: z.string().nullable(),
        passRate: z.number().nullable(),
        passed: z.number().int(),
        failed: z.number().int(),
        createdAt: Time,
        warnings: z.array(EvalWarning).optional(),
      })
      .nullable(),
    totals: z.object({ passed: z.number().int(), failed: z.number().int(), runs: z.number().int() }),
    passRateTrend: z.array(z.number()).describe('Pass rates of the last finished runs, oldest first.'),
    caseCount: z.number().int(),
    schedule: Schedule,
  })
  .meta({ id: 'EvalSuite' });

const criterion = z.object({
  id: z.string(),
  label: z.string(),
  description: z.string().optional(),
  required: z.boolean().optional(),
});
const validity = z.object({
  minEligibleTrials: z.number().int().optional(),
  minCompletionRate: z.number().optional(),
  maxEvaluatorErrorRate: z.number().optional(),
});

export const SuiteDetail = z
  .object({
    id: z.string(),
    declaredId: z.string().optional(),
    managedBy: z.enum(['ci', 'app']).describe('`ci`: managed by a suite file or by reported runs.'),
    sourceHash: z.string().optional().describe('SHA-256 of the suite file.'),
    name: z.string().nullable(),
    description: z.string().nullable(),
    projectId: z.string(),
    environment: z.object({ servers: z.array(z.string()), computerEnvironment: z.null() }),
    executionConfig: z
      .object({
        model: z.string().optional(),
        provider: z.string().optional(),
        systemPrompt: z.string().optional(),
        temperature: z.number().optional(),
      })
      .nullable(),
    hosts: z.array(z.object({ id: z.string(), name: z.string(), servers: z.array(z.string()).optional() })),
    environmentIds: z.array(z.string()).describe('In the order of attachment.'),
    settings: z.object({
      minimumAccuracy: z.number().nullable(),
      minimumIterations: z.number().nullable(),
      matchOptions: open.nullable(),
      checks: z.array(open).optional().describe('Vocabulary 1.'),
      defaultAssertions: z.array(open).optional().describe('Vocabulary 2.'),
      judge: z.object({
        enabled: z.boolean(),
        model: z.string().nullable(),
        autoRun: z.boolean(),
        threshold: z.number(),
        severity: z.literal('warn').optional(),
        rubric: z.object({ criteria: z.array(criterion) }).optional(),
      }),
      qualityGate: GatePolicy.nullable(),
      policy: z
        .enum(['legacy', 'v2'])
        .describe('`legacy`: one threshold for the run. `v2`: one threshold per case.'),
      verdictPolicyVersion: z.literal(2).optional(),
      verdictPolicyDefaults: z
        .object({
          repetitions: z.number().int().optional().describe('Vocabulary 1.'),
          iterations: z.number().int().optional().describe('Vocabulary 2.'),
          passThreshold: z.number(),
          validity: validity.optional(),
        })
        .optional(),
    }),
    schedule: Schedule,
    revisionNumber: z.number().int().describe('Send it back as `expectedRevisionNumber`.'),
    createdAt: Time,
    updatedAt: Time,
  })
  .meta({ id: 'EvalSuiteDetail' });

export const listEvalSuites = operation({
  summary: "List a project's eval suites",
  query: z.object(lookupPage),
  response: pageOf(EvalSuite, 'EvalSuitePage'),
});

export const createEvalSuite = operation({
  summary: 'Create an eval suite',
  description: 'Connects to the servers first. Does not start a run or spend credits.',
  method: 'POST',
  ...vocabulary,
  body: z
    .strictObject({
      name: Name,
      description: description.optional(),
      serverIds: z.array(id).min(1).max(100),
      serverNames: serverNames.optional(),
      model,
      provider: z.string().trim().min(1).max(100).optional(),
      systemPrompt: systemPrompt.optional(),
      temperature: temperature.optional(),
      passCriteria: PassCriteria.optional(),
      repetitions: z.number().int().min(1).max(100).optional(),
      passThreshold: fraction.optional().describe('With `repetitions`: decides each case separately.'),
      tags: z.array(z.string().max(64)).max(32).optional(),
      hosts: SuiteHosts.optional(),
      tests: z.array(InlineCase).min(1).max(100),
    })
    .refine(
      ({ repetitions, passThreshold }) => (repetitions === undefined) === (passThreshold === undefined),
      'Give repetitions and passThreshold together',
    )
    .refine(
      ({ passThreshold, passCriteria }) => passThreshold === undefined || passCriteria === undefined,
      'Give passCriteria, or repetitions and passThreshold',
    )
    .meta({ id: 'EvalSuiteCreateRequest' }),
  example: {
    name: 'Ships',
    serverIds: ['{serverId}'],
    model: 'drydock/rehearsal',
    tests: [
      {
        title: 'Lists the ships',
        steps: [{ id: '1', kind: 'prompt', prompt: 'Which ships are in the drydock?' }],
      },
    ],
  },
  status: 201,
  response: z
    .object({
      suiteId: z.string(),
      name: z.string(),
      servers: namedServers,
      hosts: z.array(z.object({ id: z.string(), name: z.string() })),
      caseUpsert,
    })
    .meta({ id: 'EvalSuiteCreated' }),
  errors: ['CONFLICT', ...liveErrors],
});

export const getEvalSuite = operation({
  summary: 'Read an eval suite',
  path: '/{suiteId}',
  ...vocabulary,
  response: SuiteDetail,
});

const criterionId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'Write up to 64 letters, digits, _ and -');
export const Rubric = z.strictObject({
  criteria: z
    .array(
      z.strictObject({
        id: criterionId,
        label: z.string().min(1).max(200),
        description: z.string().max(1000).optional(),
        required: z.boolean().optional(),
      }),
    )
    .min(1)
    .max(25)
    .refine((all) => new Set(all.map((one) => one.id)).size === all.length, 'Two criteria have one id'),
});

export const JudgeSettings = z.strictObject({
  enabled: z.boolean().optional(),
  model: model.optional(),
  autoRun: z.boolean().optional(),
  threshold: fraction.optional(),
  severity: z.literal('warn').nullable().optional(),
  rubric: Rubric.nullable().optional(),
});
export const Validity = z.strictObject({
  minEligibleTrials: z.number().int().min(1).max(100).optional(),
  minCompletionRate: fraction.optional(),
  maxEvaluatorErrorRate: fraction.optional(),
});

const checks = z.array(EvalCheck).max(50).nullable().optional();
const repetitions = z.number().int().min(1).max(100).optional();
const SettingsUpdate = z.strictObject({
  minimumAccuracy: z.number().min(0).max(100).optional(),
  minimumIterations: z.number().int().min(1).max(10).nullable().optional(),
  matchOptions: MatchOptions.nullable().optional(),
  checks,
  defaultAssertions: checks,
  defaultPredicates: checks,
  judge: JudgeSettings.optional(),
  repetitions,
  iterations: repetitions,
  passThreshold: fraction.optional(),
  validity: Validity.optional(),
  qualityGate: GatePolicy.nullable()
    .optional()
    .describe('Quality gate of runs, besides their verdict. `null` removes it.'),
});

export const updateEvalSuite = operation({
  summary: 'Edit an eval suite',
  description:
    'Send the revision number you read as `expectedRevisionNumber`; a stale one returns 409. To detach all environments, send `environmentIds: null`.',
  method: 'PATCH',
  path: '/{suiteId}',
  query: z.object({ declaredSuiteId }),
  ...vocabulary,
  body: z
    .strictObject({
      declaredSuiteId,
      expectedRevisionNumber: z.number().int().min(0).optional(),
      note: z.string().max(500).optional().describe('Note stored with the revision.'),
      name: Name.optional(),
      description: description.nullable().optional().describe('`null` or empty text clears it.'),
      environment: z
        .strictObject({
          servers: serverNames.optional().describe('By name or ID.'),
          computerEnvironment: z.null('Computers are not supported; omit it').optional(),
        })
        .optional(),
      environmentIds: z
        .array(id)
        .min(1, 'Must have at least one item; send null to detach all')
        .max(maxEnvironments)
        .nullable()
        .optional(),
      executionConfig: z
        .strictObject({
          model: model.optional(),
          provider: z.string().trim().min(1).max(100).optional(),
          systemPrompt: systemPrompt.optional(),
          temperature: temperature.optional(),
        })
        .optional(),
      hosts: SuiteHosts.optional(),
      settings: SettingsUpdate.optional(),
    })
    .meta({ id: 'EvalSuiteUpdateRequest', description: 'Omitted fields keep their value.' }),
  example: { description: 'Run before every release' },
  response: SuiteDetail,
  errors: ['CONFLICT'],
});

export const deleteEvalSuite = operation({
  summary: 'Delete an eval suite',
  description: 'Also deletes its cases and runs. Returns 409 while a run is in progress.',
  method: 'DELETE',
  path: '/{suiteId}',
  query: z.object({ declaredSuiteId }),
  response: EvalDeleted,
  errors: ['CONFLICT'],
});

export const attachEvalSuiteEnvironment = operation({
  command: 'eval-suites attach-environment',
  summary: 'Attach an environment to a suite',
  method: 'POST',
  path: '/{suiteId}/environments',
  query: z.object({ declaredSuiteId }),
  body: z.strictObject({ environmentId: id }).meta({ id: 'EvalSuiteEnvironmentAttachRequest' }),
  example: { environmentId: '{environmentId}' },
  response: z
    .object({
      suiteId: z.string(),
      attached: z.boolean().describe('`false` if it was already attached.'),
      environmentIds: z.array(z.string()),
    })
    .meta({ id: 'EvalSuiteEnvironmentAttached' }),
  errors: ['CONFLICT'],
});

export const updateEvalSuiteSchedule = operation({
  summary: 'Run a suite on a schedule',
  description:
    'Scheduled runs act as the user who saves the schedule. Enabling a paused schedule resumes it.',
  method: 'PATCH',
  path: '/{suiteId}/schedule',
  query: z.object({ declaredSuiteId }),
  ...vocabulary,
  body: z
    .strictObject({
      enabled: z.boolean(),
      intervalMinutes: z.number().int().min(5).max(10_080).optional(),
      environmentId: id.optional(),
      declaredSuiteId,
    })
    .meta({ id: 'EvalSuiteScheduleRequest' }),
  example: { enabled: true, intervalMinutes: 60 },
  response: SuiteDetail,
  errors: ['CONFLICT'],
});
