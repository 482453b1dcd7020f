import { z } from 'zod';
import { PassCriteria } from './eval-suites.ts';
import { vocabulary } from './eval-vocabulary.ts';
import { listed, mebibyte, orDefault, text } from './ingest-fields.ts';
import { operation as anywhere, fileAnswer, operationsIn } from './operation.ts';
import { Time } from './paging.ts';

const operation = operationsIn({
  area: 'Eval ingestion',
  path: '/projects/{projectId}/eval-ingest',
  access: 'project member',
});

const id = z.string().min(1).max(256);
const open = z.looseObject({});
const ToolCall = z.looseObject({ toolName: z.string().min(1).max(256), arguments: open.nullish() });
/** Bounded so that the sum over the largest run is still an exact integer. */
const count = z.number().int().min(0).max(100_000_000_000).nullish();

const RunHeader = z.looseObject({
  suiteName: z.string().trim().min(1).max(200),
  suiteDescription: text(10_000),
  name: text(200),
  serverNames: z.array(z.string().max(200)).max(100).nullish(),
  notes: text(10_000),
  passCriteria: PassCriteria.nullish(),
  externalRunId: id.nullish(),
  framework: text(200),
  ci: listed(
    z.looseObject({
      provider: text(200),
      pipelineId: text(500),
      jobId: text(500),
      runUrl: text(2_000),
      branch: text(500),
      commitSha: text(200),
    }),
  ).nullish(),
  expectedIterations: count,
  tags: z.array(z.string().max(64)).max(32).nullish(),
  runMetadata: listed(open).nullish(),
  hostConfig: open.nullish(),
  hostConfigHash: text(200),
});

/** Origin of the scores. The hash covers the definitions. */
const EvaluationConfig = z
  .looseObject({
    hash: z.string().max(200),
    definitions: z.array(z.looseObject({ scorerId: z.string().max(200) })).max(200),
  })
  .nullish();

const maxResults = 1_000;

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
  .meta({ id: 'EvalIngestResult', description: 'A trial that ran elsewhere. Unknown fields are ignored.' });

const results = z.array(Result).min(1).max(maxResults);
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
    description: 'A finished run, in the response envelope of ingestion.',
  });

/** Common to the operations that report results. Their body limit is larger than the default. */
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
  summary: 'Report an eval run',
  description: `Stores a run that was executed elsewhere, with all its results. The suite is looked up by name and created if it does not exist. Repeating the request with the same \`externalRunId\` and content returns the stored run with \`reused: true\`; different content returns 409. ${orDefault}`,
  body: RunHeader.extend({ results }),
  example,
  response: Ended,
  errors: ['CONFLICT'],
});

export const startEvalIngestRun = operation({
  command: 'eval-ingest start',
  ...ingest,
  path: '/runs/start',
  summary: 'Start an eval run with results to follow',
  description: `Add results with \`runs/iterations\`, then call \`runs/finalize\`. A run that is never finalized is ended after the maximum run time without activity. ${orDefault}`,
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
  summary: 'Add results to a reported run',
  description:
    'A result that is already stored under its `externalIterationId` with equal content is skipped and counted. If the content differs, the whole request returns 409 and stores nothing.',
  body: z.looseObject({ runId, results }),
  example: { runId: '{ingestRunId}', results: example.results },
  response: z
    .looseObject({
      ok,
      inserted: z.number().int(),
      skipped: z.number().int(),
      total: z.number().int().describe('Number of results of the run so far.'),
    })
    .meta({ id: 'EvalIngestAdded' }),
  errors: ['CONFLICT'],
});

export const finalizeEvalIngestRun = operation({
  command: 'eval-ingest finalize',
  ...ingest,
  path: '/runs/finalize',
  summary: 'Finalize a reported run',
  description: 'Computes the verdict from the results. Idempotent.',
  body: z.looseObject({ runId, externalRunId: id.nullish() }),
  example: { runId: '{ingestRunId}' },
  response: Ended,
  errors: ['CONFLICT'],
});

export const getEvalIngestCapabilities = operation({
  ...ingest,
  path: '/capabilities',
  readOnly: true,
  summary: 'Read the supported versions of ingestion',
  description: 'Versions by name. Unsupported features are absent.',
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
  summary: 'Add case evaluations to a run',
  description:
    'Evaluations are advisory and never change the verdict. Limit: 64 KiB per case. Idempotent for equal content; different content returns 409.',
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
  description: 'Content of the artifact. Limit: 20 MiB, or less if the operator has lowered it.',
};

export const uploadEvalArtifact = operation({
  command: 'eval-ingest upload',
  path: artifacts,
  summary: 'Upload an artifact',
  description: `Send the raw bytes with their \`Content-Type\`, for example the HTML of a widget that is too large to send inline. Results of a run refer to the artifact by \`storageId\`. ${orDefault}`,
  method: 'POST',
  upload,
  response: z
    .looseObject({ ok, storageId: z.string() })
    .meta({ id: 'EvalArtifactStored', description: 'Response envelope of ingestion.' }),
  defaultProject: true,
});

export const getEvalArtifact = operation({
  command: 'eval-ingest download',
  path: `${artifacts}/{storageId}`,
  summary: 'Download an artifact',
  description: 'Returns the stored bytes with their content type.',
  response: fileAnswer('*/*', 'Content of the artifact.'),
  defaultProject: true,
});

export const reportEvalArtifact = operation({
  command: 'eval-ingest report-artifact',
  ...ingest,
  path: `${artifacts}/{storageId}/report`,
  bodyLimit: 65_536,
  summary: 'Import a test report',
  description: `Imports an uploaded artifact: a JUnit XML file, or the JSON report of Jest or Vitest. Each test becomes an iteration of the case with its name; skipped tests are ignored. With \`runId\`, adds them to a started run; otherwise creates a run, like \`report\`. ${orDefault}`,
  body: RunHeader.partial({ suiteName: true })
    .extend({
      runId: runId.optional(),
      format: z
        .enum(['auto', 'junit', 'jest'])
        .default('auto')
        .describe('Use `jest` for Vitest reports too.'),
    })
    .refine(({ suiteName, runId: run }) => (suiteName === undefined) !== (run === undefined), {
      message: 'Give suiteName to create a run, or runId to add to one',
    }),
  example: { suiteName: 'unit tests', externalRunId: 'build-4713' },
  response: Ended.extend({
    tests: z.object({ reported: z.number().int(), skipped: z.number().int() }),
  }).meta({ id: 'EvalArtifactReported', description: 'The run and the imported tests.' }),
  errors: ['CONFLICT'],
});

const expiresAt = Time.describe('Expiry of the URL.');

export const createEvalIngestUploadUrl = operation({
  command: 'eval-ingest upload-url',
  ...ingest,
  path: `${artifacts}/upload-url`,
  bodyLimit: 65_536,
  summary: 'Create an upload URL for an artifact',
  description: `The URL accepts one upload without an API key: POST the bytes with their \`Content-Type\`. Treat the URL as a secret. ${orDefault}`,
  body: z.looseObject({}),
  example: {},
  response: z.looseObject({ ok, uploadUrl: z.string(), expiresAt }).meta({ id: 'EvalIngestUploadUrl' }),
});

/** The URL itself authorizes the request. */
const byLink = { area: 'Eval ingestion', access: 'public', status: 200 } as const;

export const uploadEvalArtifactByLink = anywhere({
  command: 'eval-ingest upload-by-link',
  ...byLink,
  path: '/artifact-uploads/{uploadToken}',
  summary: 'Upload an artifact to an upload URL',
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
  summary: 'Create a download URL for an artifact',
  description: 'The URL works for a few minutes without an API key, for example in a browser.',
  response: z.looseObject({ ok, url: z.string(), expiresAt }).meta({ id: 'EvalArtifactLink' }),
  defaultProject: true,
});

export const getEvalArtifactByLink = anywhere({
  command: 'eval-ingest download-by-link',
  ...byLink,
  path: '/artifact-links/{linkToken}',
  method: 'GET',
  summary: 'Download an artifact from a download URL',
  response: fileAnswer('*/*', 'Content of the artifact.'),
});
