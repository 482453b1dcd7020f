import { z } from 'zod';
import { listed, mebibyte, orDefault, text } from './ingest-fields.ts';
import { operationsIn } from './operation.ts';

const operation = operationsIn({
  area: 'Conformance runs',
  path: '/projects/{projectId}/conformance-ingest',
  access: 'project member',
});

export const SuiteKind = z.enum(['protocol', 'apps', 'tasks', 'oauth']);
export const Outcome = z.enum(['passed', 'failed', 'incomplete']);

const name = (maxLength: number) => z.string().trim().min(1).max(maxLength);
const open = z.looseObject({});
const duration = z.number().min(0).max(2_147_483_647).nullish();

const maxGroups = 500;
const maxCases = 10_000;

const Case = z.looseObject({
  id: name(500),
  title: text(2_000),
  category: text(500),
  status: z.enum(['passed', 'failed', 'skipped']),
  skipReason: text(4_000),
  pending: z.boolean().nullish().describe('Reported, but counted neither as passed nor as failed.'),
  couldNotRun: z
    .boolean()
    .nullish()
    .describe('For a skipped check: it should have run, but something prevented it.'),
  durationMs: duration,
});

const Group = z.looseObject({
  id: name(500),
  title: text(2_000),
  target: z.union([z.string().max(2_000), open]).nullish(),
  passed: z.boolean().nullish(),
  durationMs: duration,
  cases: z.array(Case).max(maxCases),
});

/** Result of one suite. Undeclared fields are stored and ignored, so that reporters can be newer than this service. */
export const ConformanceReport = z
  .looseObject({
    schemaVersion: z.literal(1).nullish(),
    kind: text(200),
    name: text(500),
    passed: z.boolean().nullish(),
    outcome: Outcome.nullish(),
    incompleteReason: text(4_000),
    profile: z.union([z.string().max(200), z.looseObject({ id: text(200) })]).nullish(),
    durationMs: duration,
    groups: z.array(Group).max(maxGroups),
    advisories: z.array(z.unknown()).max(1_000).nullish(),
  })
  .refine(({ outcome, passed }) => outcome != null || passed != null, {
    message: 'Give outcome, or passed',
    path: ['outcome'],
  })
  .refine(({ groups }) => groups.reduce((sum, { cases }) => sum + cases.length, 0) <= maxCases, {
    message: `At most ${maxCases.toLocaleString('en')} cases in all groups together`,
    path: ['groups'],
  })
  .meta({ id: 'ConformanceSuiteReport', description: 'Result of one suite. Unknown fields are kept.' });

const Target = z.looseObject({
  kind: z.enum(['server', 'github_repo', 'external']),
  serverId: text(128).describe('ID of a saved server of the project.'),
  serverRef: text(500),
  serverUrl: text(2_000).describe('Stored without query and credentials.'),
});

const suites = z
  .array(SuiteKind)
  .min(1)
  .max(4)
  .refine((kinds) => new Set(kinds).size === kinds.length, { message: 'Name each suite once' });

const RunHeader = z.looseObject({
  target: Target,
  source: z.enum(['ui', 'sdk', 'cli', 'github_action', 'github_app', 'api']).nullish(),
  protocolVersion: text(100),
  engineVersion: text(200),
  actorLabel: text(200),
  ci: listed(open).nullish(),
  externalRunId: name(256).nullish(),
});

const runId = name(128);
const SuiteReported = z.looseObject({
  suiteKind: SuiteKind,
  report: ConformanceReport,
  durationMs: duration,
});

const ok = z.literal(true);
const reused = z.boolean().describe('Whether the run already existed.');
const score = z
  .number()
  .nullable()
  .describe('Share of passed checks among passed and failed ones, from 0 to 100. `null` if there are none.');
const begun = { ok, runId: z.string(), projectId: z.string(), runUrl: z.string(), reused };

const ingest = { method: 'POST', defaultProject: true, bodyLimit: 6 * mebibyte } as const;

const example = {
  target: { kind: 'external', serverRef: 'weather' },
  source: 'cli',
  requestedSuites: ['protocol' as const],
} as const;
const report = {
  schemaVersion: 1 as const,
  kind: 'protocol',
  outcome: 'passed' as const,
  durationMs: 812,
  groups: [
    {
      id: 'ping',
      title: 'Ping',
      cases: [{ id: 'ping', title: 'Answers a ping', status: 'passed' as const }],
    },
  ],
};

export const reportConformanceRun = operation({
  ...ingest,
  command: 'conformance-ingest report',
  path: '/report',
  summary: 'Report a conformance run',
  description: `Stores a run that was executed elsewhere, with all its reports: several in \`reports\`, or one in \`suiteKind\` and \`report\`. Repeating the request with the same \`externalRunId\` and reports returns the stored run with \`reused: true\`; a different report returns 409. ${orDefault}`,
  body: RunHeader.extend({
    requestedSuites: suites.nullish().describe('Default: the suites that have a report.'),
    reports: z.array(SuiteReported).min(1).max(4).nullish(),
    ...SuiteReported.partial().shape,
  })
    .refine(
      ({ reports, report: one, suiteKind }) =>
        (reports == null) === (one !== undefined && suiteKind !== undefined),
      {
        message: 'Give reports, or suiteKind and report',
        path: ['reports'],
      },
    )
    .refine(
      ({ reports }) => new Set(reports?.map(({ suiteKind }) => suiteKind)).size === (reports?.length ?? 0),
      {
        message: 'Report each suite once',
        path: ['reports'],
      },
    )
    .meta({ id: 'ConformanceIngestRequest' }),
  example: {
    ...example,
    requestedSuites: ['protocol'],
    externalRunId: 'build-4711',
    reports: [{ suiteKind: 'protocol', report }],
  },
  response: z
    .looseObject({ ...begun, status: z.string(), outcome: Outcome.nullable(), score })
    .meta({ id: 'ConformanceIngestReported' }),
  errors: ['CONFLICT'],
});

export const startConformanceIngestRun = operation({
  ...ingest,
  command: 'conformance-ingest start',
  path: '/runs/start',
  summary: 'Start a conformance run with reports to follow',
  description: `Add reports with \`runs/reports\`, then call \`runs/finalize\`. A run without activity for ten minutes is ended; send \`runs/heartbeat\` to keep it open. ${orDefault}`,
  body: RunHeader.extend({ requestedSuites: suites }).meta({ id: 'ConformanceIngestStartRequest' }),
  example: { ...example, requestedSuites: ['protocol'], externalRunId: 'build-4712' },
  response: z.looseObject({ ...begun, status: z.string() }).meta({ id: 'ConformanceIngestResponse' }),
  errors: ['CONFLICT'],
});

export const upsertConformanceIngestReport = operation({
  ...ingest,
  command: 'conformance-ingest suite',
  path: '/runs/reports',
  summary: 'Add a suite report to a conformance run',
  description:
    'Idempotent for an identical report. A different report for the same suite, or a report for a finished run, returns 409.',
  body: SuiteReported.extend({ runId }).meta({ id: 'ConformanceIngestReportRequest' }),
  example: { runId: '{conformanceIngestRunId}', suiteKind: 'protocol', report },
  response: z
    .looseObject({
      ok,
      runId: z.string(),
      suiteKind: SuiteKind,
      outcome: Outcome,
      score,
      reused: z.boolean().describe('Whether the report was already stored.'),
    })
    .meta({ id: 'ConformanceIngestAdded' }),
  errors: ['CONFLICT'],
});

export const heartbeatConformanceIngestRun = operation({
  ...ingest,
  bodyLimit: 65_536,
  command: 'conformance-ingest heartbeat',
  path: '/runs/heartbeat',
  summary: 'Send a heartbeat for a conformance run',
  description: 'Required at least every ten minutes during a long suite.',
  body: z.looseObject({ runId }).meta({ id: 'ConformanceIngestHeartbeat' }),
  example: { runId: '{conformanceIngestRunId}' },
  response: z
    .looseObject({ ok, runId: z.string(), status: z.string() })
    .meta({ id: 'ConformanceIngestAlive' }),
  errors: ['CONFLICT'],
});

export const finalizeConformanceIngestRun = operation({
  ...ingest,
  bodyLimit: 65_536,
  command: 'conformance-ingest finalize',
  path: '/runs/finalize',
  summary: 'Finalize a conformance run',
  description:
    'The outcome is `failed` if a suite failed, otherwise `incomplete` if a requested suite has no complete report, otherwise `passed`. Idempotent.',
  body: z.looseObject({ runId }).meta({ id: 'ConformanceIngestFinalizeRequest' }),
  example: { runId: '{conformanceIngestRunId}' },
  response: z
    .looseObject({
      ok,
      runId: z.string(),
      projectId: z.string(),
      status: z.string(),
      outcome: Outcome.nullable(),
      score,
      runUrl: z.string(),
    })
    .meta({ id: 'ConformanceIngestEnded' }),
  errors: ['CONFLICT'],
});
