import { z } from 'zod';
import { operationsIn } from './operation.ts';

const operation = operationsIn({
  area: 'Conformance runs',
  path: '/projects/{projectId}/conformance-ingest',
  access: 'project member',
});

const mebibyte = 1024 * 1024;
const orDefault = '`default` as the project id means the Default project of the key’s organization.';

export const SuiteKind = z.enum(['protocol', 'apps', 'tasks', 'oauth']);
export const Outcome = z.enum(['passed', 'failed', 'incomplete']);

const text = (most: number) => z.string().max(most).nullish();
const name = (most: number) => z.string().trim().min(1).max(most);
const open = z.looseObject({});
const duration = z.number().min(0).max(2_147_483_647).nullish();

/** Of what every list of runs shows. */
const mostShown = 16_384;
const small = (value: unknown): boolean => JSON.stringify(value).length <= mostShown;
const notSmall = { message: `At most ${mostShown.toLocaleString('en')} characters of JSON` };

const mostGroups = 500;
const mostCases = 10_000;

const Case = z.looseObject({
  id: name(500),
  title: text(2_000),
  category: text(500),
  status: z.enum(['passed', 'failed', 'skipped']),
  skipReason: text(4_000),
  pending: z.boolean().nullish().describe('Reported, but counts neither as passed nor as failed.'),
  couldNotRun: z
    .boolean()
    .nullish()
    .describe('Of one that was skipped: it should have run, and something was in the way.'),
  durationMs: duration,
});

const Group = z.looseObject({
  id: name(500),
  title: text(2_000),
  target: z.union([z.string().max(2_000), open]).nullish(),
  passed: z.boolean().nullish(),
  durationMs: duration,
  cases: z.array(Case).max(mostCases),
});

/** What one suite found. Reporters may know more than we do: what is not named here is kept and not read. */
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
    groups: z.array(Group).max(mostGroups),
    advisories: z.array(z.unknown()).max(1_000).nullish(),
  })
  .refine(({ outcome, passed }) => outcome != null || passed != null, {
    message: 'Give outcome, or passed',
    path: ['outcome'],
  })
  .refine(({ groups }) => groups.reduce((sum, { cases }) => sum + cases.length, 0) <= mostCases, {
    message: `At most ${mostCases.toLocaleString('en')} cases in all groups together`,
    path: ['groups'],
  })
  .meta({ id: 'ConformanceSuiteReport', description: 'What one suite found. Unknown fields are kept.' });

const Target = z.looseObject({
  kind: z.enum(['server', 'github_repo', 'external']),
  serverId: text(128).describe('A saved server of the project.'),
  serverRef: text(500),
  serverUrl: text(2_000).describe('Kept without its query and without a user name.'),
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
  ci: open.refine(small, notSmall).nullish(),
  externalRunId: name(256).nullish(),
});

const runId = name(128);
const SuiteReported = z.looseObject({
  suiteKind: SuiteKind,
  report: ConformanceReport,
  durationMs: duration,
});

const ok = z.literal(true);
const reused = z.boolean().describe('Whether it is a run that was known already.');
const score = z
  .number()
  .nullable()
  .describe('Of the checks that passed or failed, the share that passed, from 0 to 100; `null` for none.');
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
  summary: 'Store a whole conformance run that ran elsewhere',
  description: `The run and its reports in one request, as \`reports\` or one beside the rest. Sent again with the same \`externalRunId\` and the same reports it answers with the same run and \`reused\`; with another report it is a conflict. ${orDefault}`,
  body: RunHeader.extend({
    requestedSuites: suites.nullish().describe('Those that there are reports of, when left out.'),
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
  summary: 'Begin a conformance run whose reports come one by one',
  description: `Reports follow with \`runs/reports\`, then \`runs/finalize\`. A run that nothing is heard of for ten minutes is ended; \`runs/heartbeat\` says that it goes on. ${orDefault}`,
  body: RunHeader.extend({ requestedSuites: suites }).meta({ id: 'ConformanceIngestStartRequest' }),
  example: { ...example, requestedSuites: ['protocol'], externalRunId: 'build-4712' },
  response: z.looseObject({ ...begun, status: z.string() }).meta({ id: 'ConformanceIngestResponse' }),
  errors: ['CONFLICT'],
});

export const upsertConformanceIngestReport = operation({
  ...ingest,
  command: 'conformance-ingest suite',
  path: '/runs/reports',
  summary: 'Add what one suite found to a conformance run',
  description:
    'The same report again changes nothing. Another one for the same suite, or one for a run that is over, is a conflict.',
  body: SuiteReported.extend({ runId }).meta({ id: 'ConformanceIngestReportRequest' }),
  example: { runId: '{conformanceIngestRunId}', suiteKind: 'protocol', report },
  response: z
    .looseObject({
      ok,
      runId: z.string(),
      suiteKind: SuiteKind,
      outcome: Outcome,
      score,
      reused: z.boolean().describe('Whether the report was there already.'),
    })
    .meta({ id: 'ConformanceIngestAdded' }),
  errors: ['CONFLICT'],
});

export const heartbeatConformanceIngestRun = operation({
  ...ingest,
  bodyLimit: 65_536,
  command: 'conformance-ingest heartbeat',
  path: '/runs/heartbeat',
  summary: 'Say that a conformance run goes on',
  description: 'At least every ten minutes, while a suite takes long.',
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
  summary: 'End a conformance run whose reports came one by one',
  description:
    'It failed when a suite failed; else it is incomplete when a requested suite has no report or is incomplete; else it passed. Asked again it answers the same.',
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
