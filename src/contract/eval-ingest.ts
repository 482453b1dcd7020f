import { z } from 'zod';
import { PassCriteria } from './eval-suites.ts';
import { vocabulary } from './eval-vocabulary.ts';
import { operation as anywhere, fileAnswer, operationsIn } from './operation.ts';
import { Time } from './paging.ts';

const operation = operationsIn({
  area: 'Eval ingestion',
  path: '/projects/{projectId}/eval-ingest',
  access: 'project member',
});

const mebibyte = 1024 * 1024;
const orDefault = '`default` as the project id means the Default project of the key’s organization.';

/** What outside reporters send: they may know more than we do, and write null for nothing. */
const text = (most: number) => z.string().max(most).nullish();
const id = z.string().min(1).max(256);
const open = z.looseObject({});
const ToolCall = z.looseObject({ toolName: z.string().min(1).max(256), arguments: open.nullish() });
/** As many of them as a run may have still add up to a number that is exact. */
const count = z.number().int().min(0).max(100_000_000_000).nullish();

/** Of what every list of runs shows. */
const mostShown = 16_384;
const small = (value: unknown): boolean => JSON.stringify(value).length <= mostShown;
const notSmall = { message: `At most ${mostShown.toLocaleString('en')} characters of JSON` };

const RunHeader = z.looseObject({
  suiteName: z.string().trim().min(1).max(200),
  suiteDescription: text(10_000),
  name: text(200),
  serverNames: z.array(z.string().max(200)).max(100).nullish(),
  notes: text(10_000),
  passCriteria: PassCriteria.nullish(),
  externalRunId: id.nullish(),
  framework: text(200),
  ci: z
    .looseObject({
      provider: text(200),
      pipelineId: text(500),
      jobId: text(500),
      runUrl: text(2_000),
      branch: text(500),
      commitSha: text(200),
    })
    .refine(small, notSmall)
    .nullish(),
  expectedIterations: count,
  tags: z.array(z.string().max(64)).max(32).nullish(),
  runMetadata: open.refine(small, notSmall).nullish(),
  hostConfig: open.nullish(),
  hostConfigHash: text(200),
});

/** How scores came about; the hash is over the definitions. */
const EvaluationConfig = z
  .looseObject({
    hash: z.string().max(200),
    definitions: z.array(z.looseObject({ scorerId: z.string().max(200) })).max(200),
  })
  .nullish();

const mostResults = 1_000;

const Result = z
  .looseObject({
    caseTitle: z.string().trim().min(1).max(500),
    passed: z.boolean(),
    query: text(100_000),
    durationMs: z.number().min(0).max(2_147_483_647).nullish(),
    provider: text(200),
    model: text(200),
    expectedToolCalls: z.array(ToolCall).max(1_000).nullish(),
    actualToolCalls: z.array(ToolCall).max(1_000).nullish(),
    tokens: z.looseObject({ input: count, output: count, total: count }).nullish(),
    error: text(20_000),
    errorDetails: text(100_000),
    trace: z.union([z.string(), z.array(z.unknown()), open]).nullish(),
    externalIterationId: id.nullish(),
    externalCaseId: id.nullish(),
    caseId: text(128),
    metadata: open.nullish(),
    isNegativeTest: z.boolean().nullish(),
    expectedOutput: text(100_000),
    widgetSnapshots: z.array(open).max(1_000).nullish(),
    scores: z.array(open).max(1_000).nullish(),
    evaluationConfig: EvaluationConfig,
  })
  .meta({ id: 'EvalIngestResult', description: 'One trial that ran elsewhere. Unknown fields are ignored.' });

const results = z.array(Result).min(1).max(mostResults);
const runId = z.string().min(1).max(128);

const summary = z.object({
  total: z.number().int(),
  passed: z.number().int(),
  failed: z.number().int(),
  passRate: z.number(),
});
const ok = z.literal(true);
const Ended = z
  .looseObject({
    ok,
    suiteId: z.string(),
    runId: z.string(),
    projectId: z.string(),
    reused: z.literal(true).optional(),
    status: z.string(),
    result: z.string().nullable(),
    summary,
  })
  .meta({
    id: 'EvalIngestEnded',
    description: 'A run that is over. The envelope that ingestion answers with.',
  });

/** JSON that may be larger than that of other operations. */
const ingest = {
  method: 'POST',
  ...vocabulary,
  defaultProject: true,
  bodyLimit: 6 * mebibyte,
} as const;

const example = {
  suiteName: 'weather',
  externalRunId: 'build-4711',
  results: [
    { caseTitle: 'Knows the weather', passed: true, durationMs: 812, externalIterationId: 'build-4711-1' },
  ],
};

export const reportEvalRun = operation({
  ...ingest,
  path: '/report',
  summary: 'Store a whole run that ran elsewhere',
  description: `The run and its results in one request. The suite is found by its name, or made. Sent again with the same \`externalRunId\` and the same content it answers with the same run and \`reused\`; with other content it is a conflict. ${orDefault}`,
  body: RunHeader.extend({ results }),
  example,
  response: Ended,
  errors: ['CONFLICT'],
});

export const startEvalIngestRun = operation({
  command: 'eval-ingest start',
  ...ingest,
  path: '/runs/start',
  summary: 'Begin a run whose results come in parts',
  description: `Results follow with \`runs/iterations\`, then \`runs/finalize\`. A run that is never finalized is ended when it was silent for as long as a run may take. ${orDefault}`,
  body: RunHeader,
  example: { suiteName: 'weather', externalRunId: 'build-4712' },
  response: z
    .looseObject({
      ok,
      suiteId: z.string(),
      runId: z.string(),
      projectId: z.string(),
      reused: z.literal(true).optional(),
      status: z.string().optional(),
      result: z.string().nullable().optional(),
      summary: summary.optional(),
    })
    .meta({ id: 'EvalIngestStarted' }),
  errors: ['CONFLICT'],
});

export const ingestEvalRunIterations = operation({
  command: 'eval-ingest iterations',
  ...ingest,
  path: '/runs/iterations',
  summary: 'Add results to a run that was begun',
  description:
    'A result whose `externalIterationId` is there already with the same content is skipped and counted; with other content the whole request is a conflict and nothing of it is stored.',
  body: z.looseObject({ runId, results }),
  example: { runId: '{ingestRunId}', results: example.results },
  response: z
    .looseObject({
      ok,
      inserted: z.number().int(),
      skipped: z.number().int(),
      total: z.number().int().describe('Results of the run so far.'),
    })
    .meta({ id: 'EvalIngestAdded' }),
  errors: ['CONFLICT'],
});

export const finalizeEvalIngestRun = operation({
  command: 'eval-ingest finalize',
  ...ingest,
  path: '/runs/finalize',
  summary: 'End a run whose results came in parts',
  description: 'Decides the run by its results. Asked again it answers the same.',
  body: z.looseObject({ runId, externalRunId: id.nullish() }),
  example: { runId: '{ingestRunId}' },
  response: Ended,
  errors: ['CONFLICT'],
});

export const getEvalIngestCapabilities = operation({
  ...ingest,
  path: '/capabilities',
  readOnly: true,
  summary: 'Say what ingestion understands',
  description: 'Versions by name; what is not understood is not named.',
  body: z.strictObject({}),
  example: {},
  response: z
    .looseObject({ ok, capabilities: z.record(z.string(), z.number().int()) })
    .meta({ id: 'EvalIngestCapabilities' }),
});

export const reportCaseRunEvaluations = operation({
  command: 'eval-ingest evaluations',
  ...ingest,
  path: '/runs/evaluations',
  bodyLimit: 256 * 1024,
  summary: 'Add what was measured of whole cases to a run',
  description:
    'Beside the verdict, which they never change: every definition is advisory. At most 64 KiB for each case. Sent again with the same content nothing changes; with other content it is a conflict.',
  body: z.looseObject({
    runId,
    externalRunId: id.nullish(),
    evaluations: z
      .array(
        z.looseObject({
          caseId: text(128),
          externalCaseId: id.nullish(),
          caseTitle: text(500),
          evaluationConfig: EvaluationConfig,
          scores: z.array(open).max(1_000).nullish(),
        }),
      )
      .min(1)
      .max(1_000),
  }),
  example: {
    runId: '{ingestRunId}',
    evaluations: [{ caseTitle: 'Knows the weather', scores: [] }],
  },
  response: z
    .looseObject({ ok, runId: z.string(), persistedCases: z.number().int() })
    .meta({ id: 'EvalCaseRunEvaluationsStored' }),
  errors: ['CONFLICT'],
});

const artifacts = '/artifacts';
const upload = {
  mediaType: 'application/octet-stream',
  limit: 20 * mebibyte,
  description: 'The bytes of the artifact, at most 20 MiB; the operator may allow less.',
};

export const uploadEvalArtifact = operation({
  command: 'eval-ingest upload',
  path: artifacts,
  summary: 'Store an artifact of a run',
  description: `The raw bytes with their own \`Content-Type\`, typically the HTML of a widget that is too large to be sent inline. \`storageId\` is what the results of a run refer to. ${orDefault}`,
  method: 'POST',
  upload,
  response: z
    .looseObject({ ok, storageId: z.string() })
    .meta({ id: 'EvalArtifactStored', description: 'The envelope that ingestion answers with.' }),
  defaultProject: true,
});

export const getEvalArtifact = operation({
  command: 'eval-ingest download',
  path: `${artifacts}/{storageId}`,
  summary: 'Read an artifact',
  description: 'The bytes as they were stored, with the content type they were stored with.',
  response: fileAnswer('*/*', 'The bytes of the artifact.'),
  defaultProject: true,
});

export const reportEvalArtifact = operation({
  command: 'eval-ingest report-artifact',
  ...ingest,
  path: `${artifacts}/{storageId}/report`,
  bodyLimit: 65_536,
  summary: 'Make a run of a report that was uploaded',
  description: `A JUnit XML file, or what Jest and Vitest write as JSON, that is an artifact already. Every test becomes an iteration of the case with its name; tests that were skipped do not count. With \`runId\` they are added to a run that was begun; else they are a run of their own, like \`report\`. ${orDefault}`,
  body: RunHeader.partial({ suiteName: true })
    .extend({
      runId: runId.optional(),
      format: z.enum(['auto', 'junit', 'jest']).default('auto').describe('`jest` is what Vitest writes too.'),
    })
    .refine(({ suiteName, runId: run }) => (suiteName === undefined) !== (run === undefined), {
      message: 'Give suiteName for a run of its own, or runId to add to one',
    }),
  example: { suiteName: 'unit tests', externalRunId: 'build-4713' },
  response: Ended.extend({
    tests: z.object({ reported: z.number().int(), skipped: z.number().int() }),
  }).meta({ id: 'EvalArtifactReported', description: 'A run with the tests that it was made of.' }),
  errors: ['CONFLICT'],
});

const expiresAt = Time.describe('It works until then.');

export const createEvalIngestUploadUrl = operation({
  command: 'eval-ingest upload-url',
  ...ingest,
  path: `${artifacts}/upload-url`,
  bodyLimit: 65_536,
  summary: 'Make an address to upload an artifact to',
  description: `For one upload, without a key: POST the bytes there with their own \`Content-Type\`. Whoever has the address may use it. ${orDefault}`,
  body: z.looseObject({}),
  example: {},
  response: z.looseObject({ ok, uploadUrl: z.string(), expiresAt }).meta({ id: 'EvalIngestUploadUrl' }),
});

/** The address itself is what lets in. */
const byLink = { area: 'Eval ingestion', access: 'public', status: 200 } as const;

export const uploadEvalArtifactByLink = anywhere({
  command: 'eval-ingest upload-by-link',
  ...byLink,
  path: '/artifact-uploads/{uploadToken}',
  summary: 'Upload an artifact to an address that was made for it',
  description: 'Once.',
  method: 'POST',
  upload,
  response: z.looseObject({ ok, storageId: z.string() }).meta({ id: 'EvalArtifactUploaded' }),
  errors: ['UNAUTHORIZED', 'FORBIDDEN', 'CONFLICT'],
});

export const createEvalArtifactLink = operation({
  command: 'eval-ingest link',
  path: `${artifacts}/{storageId}/link`,
  method: 'POST',
  summary: 'Make an address to read an artifact from',
  description: 'For a few minutes, without a key: for a browser, or for somebody who only needs to see it.',
  response: z.looseObject({ ok, url: z.string(), expiresAt }).meta({ id: 'EvalArtifactLink' }),
  defaultProject: true,
});

export const getEvalArtifactByLink = anywhere({
  command: 'eval-ingest download-by-link',
  ...byLink,
  path: '/artifact-links/{linkToken}',
  method: 'GET',
  summary: 'Read an artifact from an address that was made for it',
  response: fileAnswer('*/*', 'The bytes of the artifact.'),
});
