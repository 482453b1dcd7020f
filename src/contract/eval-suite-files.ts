import { z } from 'zod';
import { DeclaredId } from './eval-cases.ts';
import { description, PassCriteria, SuiteDetail, systemPrompt, temperature } from './eval-suites.ts';
import { vocabulary } from './eval-vocabulary.ts';
import { Name } from './fields.ts';
import { fileAnswer, operationsIn } from './operation.ts';

const operation = operationsIn({
  area: 'Eval suites',
  path: '/projects/{projectId}',
  access: 'project member',
});

/** In bytes of UTF-8. */
export const largestSuiteFile = 1_048_576;

const fraction = z.number().min(0).max(1);
export const Sha256 = z.string().regex(/^[a-f0-9]{64}$/, 'Must be a SHA-256 in hex');
const short = z.string().min(1).max(500);
export const Provenance = z
  .strictObject({
    sourceHash: Sha256,
    sourceFormat: short,
    reportHash: Sha256,
    sourceFormatVersion: short.optional(),
    converter: short.optional(),
    converterVersion: short.optional(),
    model: short.optional(),
    discoverySnapshotHash: short.optional(),
    importedAt: short.optional(),
  })
  .describe('Source of the file, if a program generated it.');

/** 201 if the suite was created, 200 if it already existed. */
const createdOrUpdated = {
  status: 201,
  otherStatuses: { 200: 'The suite already existed' },
  statusOf: ({ created }: { created: boolean }) => (created ? 201 : 200),
} as const;

const serverName = z.string().trim().min(1).max(200);

export const syncFileOwnedEvalSuite = operation({
  command: 'eval-suites sync',
  summary: 'Create or update a file-managed suite without its cases',
  description:
    'Looks the suite up by `declaredSuiteId`, never by name; suites that were not created from a file cannot be claimed. Omitting `description` or `provenance` clears them; other omitted fields keep their value. To write cases, send `declaredSuiteId` in their query. To sync suite and cases in one request, use `syncEvalSuiteFile`.',
  method: 'POST',
  path: '/eval-suites/from-file',
  ...vocabulary,
  body: z
    .strictObject({
      declaredSuiteId: DeclaredId.describe('`suite.id` of the file.'),
      name: Name,
      sourceHash: Sha256.describe('SHA-256 of the file content.'),
      description: description.optional(),
      provenance: Provenance.optional(),
      environment: z
        .strictObject({
          servers: z.array(serverName).max(100).optional().describe('By name or ID.'),
          serverBindings: z
            .array(z.strictObject({ serverName, projectServerId: z.string().min(1).max(128).optional() }))
            .max(100)
            .optional()
            .describe('Maps server names of the file to saved servers with other names.'),
        })
        .optional(),
      defaultConfig: z
        .strictObject({ modelId: z.string().trim().min(1).max(300), systemPrompt, temperature })
        .optional(),
      verdictPolicyVersion: z.literal(2).optional(),
      verdictPolicyDefaults: z
        .strictObject({
          repetitions: z.number().int().min(1).max(100),
          passThreshold: fraction,
          validity: z
            .strictObject({
              minEligibleTrials: z.number().int().min(0).max(100).optional(),
              minCompletionRate: fraction.optional(),
              maxEvaluatorErrorRate: fraction.optional(),
            })
            .optional(),
        })
        .optional(),
      minIterations: z.number().int().min(1).max(10).optional(),
      defaultPassCriteria: PassCriteria.optional(),
    })
    .refine(
      ({ verdictPolicyVersion, verdictPolicyDefaults }) =>
        (verdictPolicyVersion === undefined) === (verdictPolicyDefaults === undefined),
      'Give verdictPolicyVersion and verdictPolicyDefaults together',
    )
    .meta({ id: 'EvalSuiteFromFileRequest' }),
  example: {
    declaredSuiteId: 'ships',
    name: 'Ships',
    sourceHash: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    environment: { servers: ['{serverId}'] },
    verdictPolicyVersion: 2,
    verdictPolicyDefaults: { repetitions: 5, passThreshold: 0.8 },
  },
  ...createdOrUpdated,
  response: z
    .object({
      created: z.boolean().describe('`true` only for the first upload of this ID.'),
      suite: SuiteDetail,
    })
    .meta({ id: 'EvalSuiteFromFileSynced' }),
  errors: ['CONFLICT'],
});

const count = z.number().int();

export const syncEvalSuiteFile = operation({
  command: 'eval-suites sync-file',
  summary: 'Sync a suite file',
  description:
    'Creates or updates the suite and its cases to match the file, in one transaction; cases that are no longer in the file are deleted. Errors in the file are listed in `details.problems` with line and column. Idempotent. `servers` of the file are created if the project has no server of that name; existing servers do not change. `${NAME}` placeholders are only filled in by the command line.',
  method: 'PUT',
  path: '/eval-suite-files/{declaredSuiteId}',
  ...vocabulary,
  upload: {
    mediaType: 'application/yaml',
    limit: largestSuiteFile,
    description:
      'A suite file in YAML or JSON, up to 1,048,576 bytes. `suite.id` must match the ID in the path.',
  },
  example: {
    schemaVersion: '2',
    suite: { id: '{declaredSuiteId}', name: 'Ships' },
    target: { servers: [{ name: '{serverId}' }] },
    defaults: { model: 'drydock/rehearsal', iterations: 5, passThreshold: 0.8 },
    cases: [
      {
        id: 'lists-ships',
        title: 'Lists the ships',
        steps: [{ id: '1', kind: 'prompt', prompt: 'Which ships are in the drydock?' }],
      },
    ],
  },
  ...createdOrUpdated,
  response: z
    .object({
      created: z.boolean(),
      unchanged: z.boolean().describe('`true` if the sync changed nothing.'),
      suite: SuiteDetail,
      cases: z
        .object({
          created: count,
          updated: count,
          deleted: count,
          unchanged: count,
          disabled: count.describe('Cases that are disabled: kept but not run.'),
        })
        .describe('Number of cases.'),
      servers: z
        .array(z.object({ id: z.string(), name: z.string() }))
        .optional()
        .describe('Servers that were created from the file.'),
      sourceHash: z.string(),
    })
    .meta({ id: 'EvalSuiteFileSynced' }),
  errors: ['CONFLICT'],
});

export const exportEvalSuiteFile = operation({
  command: 'eval-suites export',
  summary: 'Export a suite as a file',
  description:
    'Syncing the file creates an equal suite. Settings that a file cannot express are listed in its `notes`. A suite that is not managed by a file is exported under its ID.',
  path: '/eval-suites/{suiteId}/file',
  query: z.object({
    format: z.enum(['yaml', 'json']).default('yaml'),
    schemaVersion: z.enum(['1', '2']).default('2'),
  }),
  response: fileAnswer('application/yaml', 'The suite file.'),
  errors: ['CONFLICT'],
});
