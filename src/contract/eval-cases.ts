import { z } from 'zod';
import { CaseChecks, EvalCheck, MatchOptions, SuppressedChecks } from './eval-checks.ts';
import { EvalSteps } from './eval-steps.ts';
import { vocabulary } from './eval-vocabulary.ts';
import { Name } from './fields.ts';
import { liveErrors } from './live.ts';
import { writeLike } from './messages.ts';
import { operationsIn } from './operation.ts';
import { lookupPage, pageOf, Time } from './paging.ts';

const operation = operationsIn({
  area: 'Eval suites',
  path: '/projects/{projectId}/eval-suites/{suiteId}/cases',
  access: 'project member',
});

export const CaseModel = z.strictObject({
  model: z.string().trim().min(1).max(300),
  provider: z.string().trim().min(1).max(100).optional(),
});

export const DeclaredId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,128}$/, 'Write up to 128 letters, digits, underscores and hyphens');

export const declaredSuiteId = z
  .string()
  .min(1)
  .max(128)
  .optional()
  .describe('`suite.id` of the suite file. Required to write to a suite that is managed by a file.');

const count = z.number().int().min(1).max(10);
export const fraction = z.number().min(0).max(1);
const title = Name;
export const intent = z
  .string()
  .min(1)
  .max(64)
  .regex(/^\S(?:[\s\S]*\S)?$/, 'May not begin or end with a space');
export const kind = z.enum(['capability', 'regression']);
export const expectedOutput = z.string().max(20_000);
export const scenario = z.string().max(5000);
export const models = z.array(CaseModel).max(10);
export const judge = z.strictObject({ enabled: z.boolean().optional() });

export const ImportClaim = z
  .strictObject({
    status: z.enum(['exact', 'approximated', 'unsupported', 'unresolved']),
    sourceCaseKey: z.string().min(1).max(512).optional(),
    note: z.string().min(1).max(2000).optional(),
  })
  .refine(({ status, note }) => status !== 'exact' || note !== undefined, {
    path: ['note'],
    message: 'Required when the status is exact',
  })
  .meta({ id: 'EvalCaseImportClaim' });

export const source = z
  .strictObject({
    format: z.literal('markdown'),
    method: z.literal('ai'),
    fileName: z.string().min(1).max(255),
    fileHash: z.string().regex(/^[a-f0-9]{64}$/, 'Must be a SHA-256 in hex'),
    excerpt: z.string().min(1).max(102_400),
    startLine: z.number().int().min(1),
    endLine: z.number().int().min(1),
    extractorVersion: z.string().min(1).max(100),
  })
  .refine(({ startLine, endLine }) => endLine >= startLine, {
    path: ['endLine'],
    message: 'Must not be before startLine',
  })
  .meta({ id: 'EvalCaseSource' });

/** Fields in every spelling. The meaning of `iterations` depends on the vocabulary; see `EvalCase`. */
const common = {
  expectedOutput: expectedOutput.optional(),
  iterations: count.optional(),
  legacyIterations: count.optional(),
  runs: count.optional(),
  repetitions: count.optional(),
  passThreshold: fraction.optional(),
  isNegative: z.boolean().optional(),
  scenario: scenario.optional(),
  models: models.optional(),
  matchOptions: MatchOptions.nullable().optional(),
  checks: CaseChecks.nullable().optional(),
  assertions: CaseChecks.nullable().optional(),
  predicates: CaseChecks.nullable().optional(),
  judge: judge.nullable().optional(),
  suppressedSuiteStandardCheckIds: SuppressedChecks.optional(),
  declaredSuiteId,
};

const likeCase = writeLike('{"title": "…", "steps": [{"id": "1", "kind": "prompt", "prompt": "…"}]}');
export const CaseCreateRequest = z
  .strictObject(
    {
      title,
      id: DeclaredId.optional().describe('Custom ID, unique in the suite.'),
      steps: EvalSteps,
      ...common,
      intent: intent.optional(),
      kind: kind.optional(),
      import: ImportClaim.optional(),
      source: source.optional(),
    },
    likeCase,
  )
  .meta({ id: 'EvalCaseCreateRequest' });

const CaseUpdateRequest = z
  .strictObject({
    title: title.optional(),
    steps: EvalSteps.optional(),
    ...common,
    intent: intent.nullable().optional(),
    kind: kind.nullable().optional(),
    import: ImportClaim.nullable().optional(),
  })
  .meta({
    id: 'EvalCaseUpdateRequest',
    description: 'Omitted fields keep their value; `null` clears a field; `steps` is replaced as a whole.',
  });

/** A case inside a request that creates a suite or a run. */
export const InlineCase = z
  .strictObject(
    {
      title,
      steps: EvalSteps,
      runs: count.optional(),
      iterations: count.optional(),
      model: z.string().trim().min(1).max(300).optional(),
      provider: z.string().trim().min(1).max(100).optional(),
      isNegative: z.boolean().optional(),
      isNegativeTest: z.boolean().optional(),
      expectedOutput: expectedOutput.optional(),
      scenario: scenario.optional(),
      intent: intent.optional(),
      advancedConfig: z.record(z.string(), z.unknown()).optional(),
      matchOptions: MatchOptions.optional(),
      checks: CaseChecks.optional(),
      predicates: z.union([CaseChecks, z.array(EvalCheck).max(50)]).optional(),
      suppressedSuiteStandardCheckIds: SuppressedChecks.optional(),
    },
    likeCase,
  )
  .meta({ id: 'EvalTestCase' });

const open = z.record(z.string(), z.unknown());
const shownChecks = z.object({ mode: z.enum(['inherit', 'replace', 'extend']), list: z.array(open) });

export const EvalCase = z
  .object({
    id: z.string(),
    declaredId: z.string().optional(),
    title: z.string(),
    steps: z.array(z.looseObject({ id: z.string(), kind: z.string() })),
    expectedOutput: z.string().optional(),
    iterations: z
      .number()
      .int()
      .optional()
      .describe(
        'Vocabulary 1: minimum number of trials. Vocabulary 2: number of trials, if the case sets it.',
      ),
    legacyIterations: z.number().int().optional().describe('Vocabulary 2: minimum number of trials.'),
    repetitions: z.number().int().optional().describe('Vocabulary 1: number of trials.'),
    passThreshold: z.number().optional().describe('Share of trials that must pass, from 0 to 1.'),
    isNegative: z.boolean().describe('Passes if the model calls no tool.'),
    scenario: z.string().optional(),
    intent: z.string().optional(),
    kind: z.enum(['capability', 'regression']).optional(),
    models: z.array(z.object({ model: z.string(), provider: z.string().optional() })),
    matchOptions: open.optional(),
    checks: shownChecks.optional().describe('Vocabulary 1.'),
    assertions: shownChecks.optional().describe('Vocabulary 2.'),
    judge: z.object({ enabled: z.boolean().optional() }).optional(),
    import: open.optional(),
    source: open.optional(),
    disabled: z.boolean().optional().describe('Disabled by the suite file: kept but not run.'),
    suppressedSuiteStandardCheckIds: z.array(z.string()).optional(),
    createdAt: Time,
    updatedAt: Time,
  })
  .meta({ id: 'EvalCase' });

const Warning = z.object({ code: z.string(), message: z.string() }).meta({ id: 'EvalCaseWarning' });

export const EvalDeleted = z.object({ id: z.string(), deleted: z.literal(true) }).meta({ id: 'EvalDeleted' });

export const listEvalCases = operation({
  command: 'eval-cases list',
  summary: 'List the cases of a suite',
  query: z.object(lookupPage),
  ...vocabulary,
  bulky: true,
  response: pageOf(EvalCase, 'EvalCasePage'),
});

const simpleCase = {
  title: 'Lists the ships',
  steps: [{ id: '1', kind: 'prompt' as const, prompt: 'Which ships are in the drydock?' }],
};

export const createEvalCase = operation({
  command: 'eval-cases create',
  summary: 'Add a case to a suite',
  method: 'POST',
  query: z.object({ declaredSuiteId }),
  ...vocabulary,
  body: CaseCreateRequest,
  example: simpleCase,
  status: 201,
  response: EvalCase,
  errors: ['CONFLICT'],
});

export const createEvalCases = operation({
  command: 'eval-cases create-many',
  summary: 'Add several cases to a suite',
  description:
    'Cases are stored independently: valid ones are created, and `failed` has the errors of the others.',
  method: 'POST',
  path: '/batch',
  query: z.object({ declaredSuiteId }),
  ...vocabulary,
  idempotency: 'verb',
  // With a key, a duplicate within the batch is an error.
  keyChangesMeaning: true,
  body: z
    .strictObject({
      cases: z
        .array(z.record(z.string(), z.unknown()))
        .min(1)
        .max(100)
        .describe('Items have the form of the body of `createEvalCase`.'),
      duplicatePolicy: z
        .string()
        .max(100)
        .optional()
        .describe('`block`, `warn` or `create_anyway`. Other values count as `block`.'),
      overrideReason: z.string().trim().min(1).max(2000).optional(),
      declaredSuiteId,
    })
    .meta({ id: 'EvalCasesBatchCreateRequest' }),
  example: { cases: [simpleCase] },
  status: 201,
  response: z
    .object({
      created: z.array(
        z.object({
          index: z.number().int(),
          id: z.string(),
          declaredId: z.string().optional(),
          title: z.string(),
          replayed: z.boolean(),
          warnings: z.array(Warning).optional(),
        }),
      ),
      failed: z.array(
        z.object({
          index: z.number().int(),
          title: z.string().optional(),
          declaredId: z.string().optional(),
          code: z.enum([
            'INVALID_ITEM',
            'INVALID_CASE_ID',
            'DUPLICATE_CASE_ID',
            'DUPLICATE_IDEMPOTENCY_KEY',
            'IDEMPOTENCY_CONFLICT',
            'DUPLICATE_CONTENT',
            'OVERRIDE_REASON_REQUIRED',
            'INVALID_CASE',
            'INVALID_IMPORT',
            'UNSTORABLE_ITEM',
            'ITEM_TOO_LARGE',
          ]),
          message: z.string(),
        }),
      ),
      duplicatePolicy: z.object({
        requestedPolicy: z.string().optional(),
        effectivePolicy: z.enum(['block', 'warn', 'create_anyway']),
        coerced: z.boolean(),
      }),
      warnings: z.array(Warning).optional(),
    })
    .meta({ id: 'EvalCasesBatchResult' }),
  errors: ['CONFLICT'],
});

const mix = z.number().int().min(0).max(10).optional();

export const generateEvalCases = operation({
  command: 'eval-cases generate',
  summary: 'Generate cases with a model',
  description: "Drafts cases from the tools of the suite's servers, and adds them to the suite.",
  method: 'POST',
  path: '/generate',
  query: z.object({ declaredSuiteId }),
  ...vocabulary,
  idempotency: 'claim',
  spends: true,
  body: z
    .strictObject({
      mode: z.enum(['normal', 'negative']).optional().describe('Ignored if `caseMix` is set.'),
      servers: z.array(z.string().trim().min(1).max(200)).min(1).max(100).optional(),
      environmentId: z.string().min(1).max(128).optional(),
      caseModels: z.array(CaseModel).max(10).optional(),
      caseMix: z
        .strictObject({ simple: mix, multiTool: mix, multiTurn: mix, complex: mix, negative: mix })
        .optional(),
      varyUserStyles: z.boolean().optional(),
      idempotencyKey: z.string().min(1).max(256).optional(),
    })
    .meta({ id: 'EvalCaseGenerateRequest' }),
  example: { caseMix: { simple: 1 } },
  response: z
    .object({
      generationModel: z.string(),
      created: z.array(EvalCase),
      counts: z.object({ normal: z.number().int(), negative: z.number().int() }),
      skipped: z.array(z.object({ title: z.string().optional(), reason: z.string() })).optional(),
    })
    .meta({ id: 'EvalCaseGenerated' }),
  errors: ['CONFLICT', ...liveErrors],
});

export const getEvalCase = operation({
  command: 'eval-cases get',
  summary: 'Read a case',
  path: '/{caseId}',
  ...vocabulary,
  response: EvalCase,
});

export const updateEvalCase = operation({
  command: 'eval-cases update',
  summary: 'Edit a case',
  description:
    'The type of a case cannot change: a case with prompts keeps prompting a model, a case without keeps running without one.',
  method: 'PATCH',
  path: '/{caseId}',
  query: z.object({ declaredSuiteId }),
  ...vocabulary,
  body: CaseUpdateRequest,
  example: { title: 'Lists all ships' },
  response: EvalCase,
  errors: ['CONFLICT'],
});

export const deleteEvalCase = operation({
  command: 'eval-cases delete',
  summary: 'Delete a case',
  description: 'Existing runs keep the case.',
  method: 'DELETE',
  path: '/{caseId}',
  query: z.object({ declaredSuiteId }),
  response: EvalDeleted,
  errors: ['CONFLICT'],
});
