import { z } from 'zod';
import { DeclaredId } from './eval-cases.ts';
import { description, PassCriteria, SuiteDetail, systemPrompt, temperature } from './eval-suites.ts';
import { vocabulary } from './eval-vocabulary.ts';
import { fileAnswer, operationsIn } from './operation.ts';
import { Name } from './text.ts';

const operation = operationsIn({
  area: 'Eval suites',
  path: '/projects/{projectId}',
  access: 'project member',
});

/** Bytes of UTF-8. */
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
  .describe('What the file was made from, when a program made it.');

/** Whether it was there before decides about the status. */
const createdOrUpdated = {
  status: 201,
  otherStatuses: { 200: 'The suite was there already' },
  statusOf: ({ created }: { created: boolean }) => (created ? 201 : 200),
} as const;

const serverName = z.string().trim().min(1).max(200);

export const syncFileOwnedEvalSuite = operation({
  command: 'eval-suites sync',
  summary: 'Create or update the suite of a file, without its cases',
  description:
    'The suite is found by `declaredSuiteId` and never by its name; one that was made otherwise cannot be claimed. `description` and `provenance` follow the file also where it leaves them out; other fields left out stay as they are. Cases are written with `declaredSuiteId` in the query; `syncEvalSuiteFile` does both at once.',
  method: 'POST',
  path: '/eval-suites/from-file',
  ...vocabulary,
  body: z
    .strictObject({
      declaredSuiteId: DeclaredId.describe("The file's `suite.id`."),
      name: Name,
      sourceHash: Sha256.describe('Of the bytes of the file.'),
      description: description.optional(),
      provenance: Provenance.optional(),
      environment: z
        .strictObject({
          servers: z.array(serverName).max(100).optional().describe('By name or id.'),
          serverBindings: z
            .array(z.strictObject({ serverName, projectServerId: z.string().min(1).max(128).optional() }))
            .max(100)
            .optional()
            .describe('Which server a name stands for, where it is not the name that it has here.'),
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
      created: z.boolean().describe('True only for the first upload of this id.'),
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
    'Makes the suite and its cases what the file says, all of it or nothing: cases are added, changed, and deleted where the file no longer has them. What is wrong with the file is listed in `details.problems`, each with line and column. The same file again changes nothing. `servers` of the file are saved where the project has none with the name, and stay as they are where it has; values with `${NAME}` are filled in by the command line only.',
  method: 'PUT',
  path: '/eval-suite-files/{declaredSuiteId}',
  ...vocabulary,
  upload: {
    mediaType: 'application/yaml',
    limit: largestSuiteFile,
    description:
      'A suite file in YAML or JSON, at most 1,048,576 bytes. Its `suite.id` is the id in the path.',
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
      unchanged: z.boolean().describe('True when the suite was like this before.'),
      suite: SuiteDetail,
      cases: z
        .object({
          created: count,
          updated: count,
          deleted: count,
          unchanged: count,
          disabled: count.describe('Of all: kept, and not run.'),
        })
        .describe('How many.'),
      servers: z
        .array(z.object({ id: z.string(), name: z.string() }))
        .optional()
        .describe('Servers of the file that were saved, because the project had none with their names.'),
      sourceHash: z.string(),
    })
    .meta({ id: 'EvalSuiteFileSynced' }),
  errors: ['CONFLICT'],
});

export const exportEvalSuiteFile = operation({
  command: 'eval-suites export',
  summary: 'Export a suite as a file',
  description:
    'Syncing the file makes an equal suite. What a file cannot say stands in its `notes`. A suite that no file owns is called by its id.',
  path: '/eval-suites/{suiteId}/file',
  query: z.object({
    format: z.enum(['yaml', 'json']).default('yaml'),
    schemaVersion: z.enum(['1', '2']).default('2'),
  }),
  response: fileAnswer('application/yaml', 'The suite file.'),
  errors: ['CONFLICT'],
});
