import { z } from 'zod';
import { InsightsEnvelope } from './insights.ts';
import { RunVerdictSummary, SessionVerdict, SwarmReport } from './journey-verdicts.ts';
import { targetIds } from './journeys.ts';
import { eventStream, operationsIn } from './operation.ts';
import { historyPage, pageOf, Time } from './paging.ts';
import { swarms } from './swarm-feature.ts';

const operation = operationsIn({
  area: 'Swarm runs',
  path: '/projects/{projectId}',
  access: 'project member',
});
const ofRun = operationsIn({
  area: 'Swarm runs',
  path: '/projects/{projectId}/journey-runs/{journeyRunId}',
  access: 'project member',
});

const count = z.number().int().min(0);
export const attemptStatuses = ['pending', 'running', 'succeeded', 'failed', 'rate_limited'] as const;
const AttemptStatus = z.enum(attemptStatuses);
export const runStatuses = ['running', 'completed', 'partial', 'failed', 'rate_limited'] as const;
const RunStatus = z.enum(runStatuses);

const Target = z
  .object({
    hostId: z.string(),
    hostName: z.string().optional(),
    targetId: z
      .string()
      .optional()
      .describe('Its environment, else its client. Two targets can have one client.'),
    environmentId: z.string().optional(),
    environmentName: z.string().optional(),
    modelId: z.string().optional(),
  })
  .meta({ id: 'JourneyRunTarget' });

const Attempt = z
  .object({
    chatSessionId: z.string().nullable(),
    hostId: z.string(),
    targetId: z.string().nullable(),
    sessionIndex: count,
    status: AttemptStatus,
    turns: count.describe('Messages of the persona that were answered.'),
    errorCode: z
      .string()
      .nullable()
      .describe(
        '`session_failed`, `rate_limited`, `spend_cap_exceeded`, `host_worker_failed`, `runner_shutdown`, `stale_runner` or `canceled`.',
      ),
    errorMessage: z.string().nullable(),
  })
  .meta({ id: 'JourneyRunAttempt' });

const tally = { total: count, succeeded: count, failed: count, rateLimited: count };
export const RunSummary = z.object(tally).meta({ id: 'JourneyRunSummary' });

export const JourneyRun = z
  .object({
    id: z.string(),
    projectId: z.string(),
    journeyId: z.string(),
    waveId: z.string().optional().describe('What was launched together.'),
    status: RunStatus.describe('A cancelled run is `failed`; see `canceled`.'),
    canceled: z.boolean(),
    stale: z.boolean().describe('Nobody worked on it any more, and it was ended.'),
    error: z.string().optional(),
    summary: RunSummary,
    targets: z.array(Target),
    persona: z
      .object({
        personaId: z.string().nullable().optional(),
        name: z.string().nullable().optional(),
        role: z.string().nullable().optional(),
      })
      .optional(),
    attempts: z.array(Attempt).optional().describe('Where one run is read.'),
    targetSummaries: z
      .array(z.object({ hostId: z.string(), targetId: z.string().optional(), ...tally }))
      .optional(),
    createdAt: Time,
    completedAt: Time.optional(),
    lastHeartbeatAt: Time.optional(),
    insights: InsightsEnvelope.optional().describe('Where one run is read.'),
    verdictSummary: RunVerdictSummary.optional(),
    report: SwarmReport.optional().describe('Where one run is read.'),
  })
  .meta({ id: 'JourneyRun' });

export const JourneyRunSession = z
  .object({
    id: z.string().describe('Of a chat session: its transcript and trace are read there.'),
    chatSessionId: z.string(),
    projectId: z.string(),
    hostId: z.string().optional(),
    targetId: z.string().optional(),
    sessionIndex: count.optional(),
    runId: z.string().optional(),
    journeyId: z.string().optional(),
    personaId: z.string().optional(),
    personaLabel: z.string().optional(),
    status: z.enum(['active', 'archived']).nullable().describe('Whether it is put away.'),
    outcome: AttemptStatus.nullable().optional().describe('How running it went.'),
    verdict: SessionVerdict.optional().describe('How it was graded.'),
    readiness: z.unknown(),
    goalScore: z
      .object({
        status: z.enum(['pending', 'scored', 'error', 'skipped']),
        score: z.number().optional(),
        passed: z.boolean().optional(),
        reason: z.string().optional(),
        model: z.string().optional(),
      })
      .nullable(),
    criteria: z
      .object({
        status: z.enum(['pending', 'completed', 'failed']),
        generation: z.number().int(),
        criterionIds: z.array(z.string()).optional(),
        results: z
          .array(
            z.object({
              criterionId: z.string(),
              passed: z.boolean(),
              status: z.enum(['scored', 'error']).optional(),
              reason: z.string().optional(),
            }),
          )
          .optional(),
      })
      .optional(),
    observations: z
      .array(
        z.object({
          evaluatorId: z.string(),
          predicateType: z.string(),
          role: z.enum(['required', 'advisory']),
          status: z.enum(['passed', 'failed', 'pending', 'unavailable']),
        }),
      )
      .optional(),
    messageCount: count,
    preview: z.string().optional(),
    modelId: z.string().optional(),
    startedAt: Time.nullable(),
    lastActivityAt: Time.nullable(),
  })
  .meta({ id: 'JourneyRunSession' });

export const launchFields = {
  waveId: z
    .string()
    .min(1)
    .max(64)
    .regex(/^[A-Za-z0-9_-]+$/, 'Write letters, digits, "_" and "-"')
    .optional()
    .describe('Of your choice: runs with the same one belong together. Left out, the run is its own wave.'),
  environmentIds: targetIds.optional().describe('In this run, instead of those of the journey.'),
};

export const launchedFields = {
  id: z.string(),
  journeyId: z.string(),
  projectId: z.string(),
  status: z.literal('running'),
  deduped: z.boolean().describe('The key was used before: this is the run of then.'),
};

export const canceledFields = {
  id: z.string(),
  status: z.string(),
  canceled: z.literal(true),
  alreadyCanceled: z.boolean(),
  finalized: count.describe('Sessions that this has ended.'),
};

export const listJourneyRuns = operation({
  summary: 'List the runs of a journey',
  description: 'The latest first, without their attempts.',
  path: '/journeys/{journeyId}/runs',
  query: z.object(historyPage),
  response: pageOf(JourneyRun, 'JourneyRunPage'),
  feature: swarms.read({ items: [] }),
});

export const launchJourneyRun = operation({
  summary: 'Launch a journey',
  command: 'journeys launch',
  description:
    'Targets times `sessionsPerTarget` sessions begin: in each a model plays the persona, and the agent of the target answers. At most three targets run at once, the sessions of one in order. Send an `Idempotency-Key`: the same one again gives the first run with `deduped: true`, and neither runs nor costs anything. Takes one of `journeyLaunchesPerDay`.',
  method: 'POST',
  path: '/journeys/{journeyId}/runs',
  body: z.strictObject(launchFields).meta({ id: 'JourneyRunLaunchRequest' }),
  example: {},
  status: 202,
  response: z.object(launchedFields).meta({ id: 'JourneyRunLaunched' }),
  errors: ['CONFLICT', 'OAUTH_REQUIRED', 'FEATURE_NOT_SUPPORTED'],
  idempotency: 'verb',
  spends: true,
  feature: swarms.write,
});

export const getJourneyRun = ofRun({
  summary: 'Read a journey run',
  description: 'Poll it until `status` is no longer `running`.',
  response: JourneyRun,
  feature: swarms.readOne,
});

export const listJourneyRunSessions = ofRun({
  summary: 'List the sessions of a journey run',
  description: 'Target by target, in order. Transcripts are read as chat sessions, with the same ids.',
  path: '/sessions',
  query: z.object(historyPage),
  response: pageOf(JourneyRunSession, 'JourneyRunSessionPage'),
  feature: swarms.read({ items: [] }),
});

const canceling = {
  summary: 'Cancel a journey run',
  description:
    'Sessions under way stop. Repeated, it changes nothing. Also where swarms are switched off. 409 when the run is over.',
  response: z.object(canceledFields).meta({ id: 'JourneyRunCanceled' }),
  errors: ['CONFLICT'],
  feature: swarms.always,
} as const;

export const cancelJourneyRun = ofRun({ ...canceling, method: 'POST', path: '/cancel' });

export const deleteJourneyRun = ofRun({
  ...canceling,
  command: 'journey-runs stop',
  method: 'DELETE',
  alias: { of: 'cancelJourneyRun' },
});

const changed = { runId: z.string(), at: Time };
const RunEvent = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('run.state'), ...changed, status: RunStatus, summary: RunSummary }),
    z.object({
      type: z.literal('session.state'),
      ...changed,
      attempt: Attempt,
      verdict: SessionVerdict.optional(),
    }),
    z.object({ type: z.literal('run.ended'), ...changed, status: RunStatus, summary: RunSummary }),
  ])
  .meta({ id: 'JourneyRunEvent' });
export type JourneyRunEvent = z.input<typeof RunEvent>;

export const watchJourneyRun = ofRun({
  summary: 'Follow a journey run',
  description:
    'First how each session stands, then what changes. Ends when the run is over and graded, and its findings are there. Whoever comes again is told anew how everything stands.',
  path: '/events',
  response: eventStream(RunEvent, 'How the run and its sessions stand.'),
  feature: swarms.readOne,
});
