import { z } from 'zod';
import { swarms } from './features.ts';
import { count } from './fields.ts';
import { InsightsEnvelope } from './insights.ts';
import { RunVerdictSummary, SessionVerdict, SwarmReport } from './journey-verdicts.ts';
import { targetIds } from './journeys.ts';
import { eventStream, operationsIn } from './operation.ts';
import { historyPage, pageOf, Time } from './paging.ts';

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
      .describe(
        'ID of the environment, or of the client if there is none. Several targets can share a client.',
      ),
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
    turns: count.describe('Persona messages with a reply.'),
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
    waveId: z.string().optional().describe('Groups runs that were launched together.'),
    status: RunStatus.describe('`failed` for a cancelled run; see `canceled`.'),
    canceled: z.boolean(),
    stale: z.boolean().describe('The run was ended because its worker was lost.'),
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
    attempts: z.array(Attempt).optional().describe('Only when a single run is read.'),
    targetSummaries: z
      .array(z.object({ hostId: z.string(), targetId: z.string().optional(), ...tally }))
      .optional(),
    createdAt: Time,
    completedAt: Time.optional(),
    lastHeartbeatAt: Time.optional(),
    insights: InsightsEnvelope.optional().describe('Only when a single run is read.'),
    verdictSummary: RunVerdictSummary.optional(),
    report: SwarmReport.optional().describe('Only when a single run is read.'),
  })
  .meta({ id: 'JourneyRun' });

export const JourneyRunSession = z
  .object({
    id: z
      .string()
      .describe('Chat session ID. Read its transcript and trace with the operations of chat sessions.'),
    chatSessionId: z.string(),
    projectId: z.string(),
    hostId: z.string().optional(),
    targetId: z.string().optional(),
    sessionIndex: count.optional(),
    runId: z.string().optional(),
    journeyId: z.string().optional(),
    personaId: z.string().optional(),
    personaLabel: z.string().optional(),
    status: z.enum(['active', 'archived']).nullable().describe('Whether the session is archived.'),
    outcome: AttemptStatus.nullable().optional().describe('Execution status.'),
    verdict: SessionVerdict.optional().describe('Grading result.'),
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
    .describe('Custom ID. Runs with the same ID form one wave. Default: a new wave.'),
  environmentIds: targetIds.optional().describe('Overrides the environments of the journey in this run.'),
};

export const launchedFields = {
  id: z.string(),
  journeyId: z.string(),
  projectId: z.string(),
  status: z.literal('running'),
  deduped: z
    .boolean()
    .describe('Whether the idempotency key was used before. The response then has the first run.'),
};

export const canceledFields = {
  id: z.string(),
  status: z.string(),
  canceled: z.literal(true),
  alreadyCanceled: z.boolean(),
  finalized: count.describe('Sessions that this request ended.'),
};

export const listJourneyRuns = operation({
  summary: 'List the runs of a journey',
  description: 'Newest first, without attempts.',
  path: '/journeys/{journeyId}/runs',
  query: z.object(historyPage),
  response: pageOf(JourneyRun, 'JourneyRunPage'),
  feature: swarms.list,
});

export const launchJourneyRun = operation({
  summary: 'Launch a journey',
  command: 'journeys launch',
  description:
    'Starts `sessionsPerTarget` sessions for each target. In each session, a model plays the persona and talks to the agent of the target. Up to three targets run concurrently; the sessions of a target run in order. Send an `Idempotency-Key`: repeating the request with the same key returns the first run with `deduped: true` and costs nothing. Uses one unit of `journeyLaunchesPerDay`.',
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
  description: 'Poll until `status` is no longer `running`.',
  response: JourneyRun,
  feature: swarms.readOne,
});

export const listJourneyRunSessions = ofRun({
  summary: 'List the sessions of a journey run',
  description:
    'Ordered by target. To read a transcript, use the session ID with the operations of chat sessions.',
  path: '/sessions',
  query: z.object(historyPage),
  response: pageOf(JourneyRunSession, 'JourneyRunSessionPage'),
  feature: swarms.list,
});

export const cancelJourneyRun = ofRun({
  summary: 'Cancel a journey run',
  description:
    'Stops running sessions. Idempotent. Works even if swarms are switched off. Returns 409 if the run has finished.',
  method: 'POST',
  path: '/cancel',
  response: z.object(canceledFields).meta({ id: 'JourneyRunCanceled' }),
  errors: ['CONFLICT'],
  feature: swarms.always,
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
    'Sends the state of each session, then every change. The stream ends when the run is graded and its findings are stored. A reconnected client receives the full state again.',
  path: '/events',
  response: eventStream(RunEvent, 'State of the run and its sessions.'),
  feature: swarms.readOne,
});
