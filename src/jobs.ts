import { jobKinds } from './domain/base/job-kinds.ts';
import { removalsLeft } from './domain/base/removal.ts';
import type { ModelParts } from './domain/model-calls/open-model.ts';
import { anySourceDue, nameSourcesHandler, readSourcesHandler } from './domain/registry/sync/jobs.ts';
import { housekeeping } from './domain/retention/housekeeping.ts';
import { enqueueDeliveries } from './domain/webhooks/emit.ts';
import * as conformanceRuns from './platform/database/queries/conformance-runs.ts';
import * as evalRuns from './platform/database/queries/eval-runs.ts';
import { deleted as deletedSuites } from './platform/database/queries/eval-suite-contents.ts';
import * as evalSuites from './platform/database/queries/eval-suites.ts';
import * as evalTrials from './platform/database/queries/eval-trials.ts';
import * as journeyRuns from './platform/database/queries/journey-runs.ts';
import { deleted as deletedProjects } from './platform/database/queries/project-contents.ts';
import * as serverChecks from './platform/database/queries/server-checks.ts';
import * as connections from './platform/database/queries/server-connections.ts';
import * as webhooks from './platform/database/queries/webhooks.ts';
import { type JobKind, loadedLater } from './platform/jobs/worker.ts';
import type { OpenServices } from './services.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
/** Concurrent webhooks whose last attempt failed; the remaining slots are for healthy ones. */
const maxFailing = 6;

const evals = () => import('./domain/handlers/evals.ts');
const journeys = () => import('./domain/handlers/journeys.ts');
const studies = () => import('./domain/handlers/studies.ts');
const servers = () => import('./domain/handlers/servers.ts');

/** The queued work of the service: every kind of job, with its limits and its handler. */
export function jobsOf(services: OpenServices, parts: ModelParts): JobKind[] {
  const { db, config } = services;
  return [
    ...housekeeping(services),
    // One removal of a kind at a time, so that other jobs find free slots.
    {
      kind: jobKinds.removeProjectContent,
      concurrency: 1,
      ...loadedLater(async () => (await evals()).contentRemoval(services)),
    },
    {
      kind: 'find-for-remove-project-content',
      every: hour,
      ...removalsLeft(jobKinds.removeProjectContent, deletedProjects),
    },
    {
      kind: jobKinds.removeEvalSuite,
      concurrency: 1,
      ...loadedLater(async () => (await evals()).suiteRemoval(services)),
    },
    {
      kind: 'find-for-remove-eval-suite',
      every: hour,
      ...removalsLeft(jobKinds.removeEvalSuite, deletedSuites),
    },
    {
      kind: 'fire-eval-schedules',
      every: 5 * second,
      when: async () => (await db.one(evalSuites.anyDue)).there,
      ...loadedLater(async () => (await evals()).fireSchedulesHandler),
    },
    {
      kind: jobKinds.launchScheduledEval,
      attempts: 3,
      ...loadedLater(async () => (await evals()).launchScheduledHandler(services)),
    },
    {
      kind: 'watch-eval-runs',
      every: 15 * second,
      when: async () => {
        const found = [evalRuns.listOverdue, evalTrials.untallied, evalRuns.undecided, evalRuns.graded].map(
          (query) => db.row(query),
        );
        return (await Promise.all(found)).some((row) => row !== undefined);
      },
      ...loadedLater(async () => (await evals()).watchHandler(services)),
    },
    {
      kind: jobKinds.decideEvalRun,
      ...loadedLater(async () => (await evals()).decideHandler(services)),
    },
    {
      kind: jobKinds.judgeEvalRun,
      // Judgements are slow; the limit leaves slots for other jobs.
      concurrency: 2,
      ...loadedLater(async () => (await evals()).judgeHandler(services, parts)),
    },
    {
      kind: jobKinds.findEvalRunInsights,
      concurrency: 2,
      ...loadedLater(async () => (await evals()).evalRunInsightsHandler(services, parts)),
    },
    {
      kind: jobKinds.announceGate,
      concurrency: 1,
      ...loadedLater(async () => (await evals()).gateEventHandler(services)),
    },
    {
      kind: 'watch-journey-runs',
      every: 15 * second,
      when: async () => (await db.row(journeyRuns.silent, { seconds: config.journeySilence })) !== undefined,
      ...loadedLater(async () => (await journeys()).watchJourneysHandler(services)),
    },
    {
      kind: jobKinds.gradeJourneySession,
      concurrency: 6,
      attempts: 4,
      ...loadedLater(async () => (await journeys()).gradeSessionHandler(parts)),
    },
    {
      kind: jobKinds.observeJourneyWave,
      concurrency: 2,
      ...loadedLater(async () => (await journeys()).observeWaveHandler(services)),
    },
    {
      kind: jobKinds.findWaveInsights,
      concurrency: 2,
      ...loadedLater(async () => (await journeys()).waveInsightsHandler(parts)),
    },
    {
      kind: jobKinds.analyseStudy,
      concurrency: 2,
      ...loadedLater(async () => (await studies()).analyseHandler(services)),
    },
    {
      kind: jobKinds.findStudyInsights,
      concurrency: 2,
      ...loadedLater(async () => (await studies()).studyInsightsHandler(parts)),
    },
    {
      kind: jobKinds.assessReadiness,
      // A run may hold a connection for minutes; the limit leaves slots for other jobs.
      concurrency: 2,
      attempts: 3,
      ...loadedLater(async () => (await import('./domain/readiness-runs/job.ts')).readinessHandler(parts)),
    },
    {
      kind: jobKinds.runConformance,
      concurrency: 1,
      attempts: 3,
      ...loadedLater(async () => (await servers()).conformanceHandler(services)),
    },
    {
      kind: 'end-silent-conformance-runs',
      every: 30 * second,
      when: async () =>
        (await db.row(conformanceRuns.silent, { after: conformanceRuns.silence })) !== undefined,
      ...loadedLater(async () => (await servers()).silentRunsHandler(services)),
    },
    {
      kind: jobKinds.advanceServerConnection,
      ...loadedLater(async () => (await servers()).advanceHandler(services)),
    },
    {
      kind: 'expire-server-connections',
      every: minute,
      when: async () => (await db.one(connections.anyOverdue)).there,
      ...loadedLater(async () => (await servers()).expireHandler(services)),
    },
    {
      kind: 'fire-server-checks',
      every: 5 * second,
      when: async () => (await db.one(serverChecks.anyDue)).there,
      ...loadedLater(async () => (await servers()).fireChecksHandler),
    },
    {
      kind: jobKinds.checkServer,
      attempts: 2,
      // An unresponsive server occupies a slot for ten seconds.
      concurrency: 4,
      ...loadedLater(async () => (await servers()).checkHandler(services)),
    },
    { kind: 'name-registry-sources', every: hour, ...nameSourcesHandler(services) },
    {
      kind: 'schedule-registry-sources',
      every: 15 * second,
      when: () => anySourceDue(services),
      ...readSourcesHandler,
    },
    {
      kind: jobKinds.readRegistrySource,
      attempts: 3,
      concurrency: 1,
      ...loadedLater(async () =>
        (await import('./domain/registry/sync/read-source.ts')).readSourceHandler(services),
      ),
    },
    {
      kind: 'wake-webhooks',
      every: 2 * second,
      // Finds retries that became due, and events missed by an ending job.
      when: async () => (await dueWebhooks()).length > 0,
      handle: async () => {
        const due = await dueWebhooks();
        if (due.length > 0) await enqueueDeliveries(db, due);
      },
    },
    {
      kind: jobKinds.deliverWebhook,
      // An unresponsive receiver occupies a slot for seconds, at almost no cost.
      concurrency: 16,
      ...loadedLater(async () => (await import('./domain/webhooks/deliver.ts')).deliverHandler(services)),
    },
  ];

  function dueWebhooks() {
    return db.rows(webhooks.withDue, { kind: jobKinds.deliverWebhook, maxFailing });
  }
}
