import type { SuiteReport } from '../../../conformance/report.ts';
import { Refusal } from '../../../contract/errors.ts';
import type { Db } from '../../../platform/database/database.ts';
import * as runs from '../../../platform/database/queries/conformance-runs.ts';
import * as servers from '../../../platform/database/queries/servers.ts';
import { type Account, enqueue } from '../../../platform/jobs/queue.ts';
import type { JobHandler } from '../../../platform/jobs/worker.ts';
import type { Commit } from '../../../platform/leases/holder.ts';
import { jobKinds } from '../../base/job-kinds.ts';
import type { ProjectContext, Services } from '../../context/context.ts';
import { actForWhileAllowed } from '../../identity/act-for.ts';
import { type ConformanceRun, isOpen } from '../find.ts';
import { type End, settle } from '../settle.ts';
import { addReport, prepareReport } from '../store.ts';
import { appsReport } from './apps.ts';
import { protocolReport } from './protocol.ts';
import type { Subject } from './subject.ts';
import { tasksReport } from './tasks.ts';

/** Concurrent runs per organization, and milliseconds until a waiting run is retried. */
const maxAtOnce = 2;
const retryDelay = 2_000;

const suites: Partial<Record<runs.SuiteKind, (subject: Subject) => Promise<SuiteReport>>> = {
  protocol: protocolReport,
  apps: appsReport,
  tasks: tasksReport,
};

interface Payload {
  projectId: string;
  runId: string;
}

/** Enqueues a run. The run stores the job's ID: when it has to wait, another job replaces the first. */
export async function enqueueRun(db: Db, payload: Payload, onBehalfOf: Account, delay = 0): Promise<void> {
  const jobId = await enqueue(db, jobKinds.runConformance, payload, { onBehalfOf, delay });
  if (jobId !== undefined) await db.run(runs.setJob, { id: payload.runId, jobId });
}

/** Runs the suites of a run one by one, as the account that started it. Each report is stored when its suite ends. */
export function conformanceHandler(services: Services): JobHandler {
  return {
    handle: async (payload, signal, onBehalfOf) => {
      const { projectId, runId } = payload as Payload;
      if (!onBehalfOf) return undefined;
      const run = await begin(services, { projectId, runId }, onBehalfOf.organizationId);
      if (run === 'full') return (trx) => enqueueRun(trx, { projectId, runId }, onBehalfOf, retryDelay);
      if (!run) return undefined;
      try {
        const acting = { ...onBehalfOf, projectId, requestId: runId };
        return await actForWhileAllowed(services, 'startConformanceRun', acting, signal, async (context) => {
          const subject = await subjectOf(context, run);
          if (!subject) return ended(run, { status: 'failed', reason: 'server_deleted' });
          await runSuites(services, run, subject);
          return ended(run, { status: 'completed' });
        });
      } catch (error) {
        if (error instanceof Refusal) return ended(run, { status: 'failed', reason: 'not_allowed' });
        throw error;
      }
    },
    givenUp: (payload) => {
      const { projectId, runId: id } = payload as Payload;
      return ended({ projectId, id }, { status: 'failed', reason: 'internal_error' });
    },
  };
}

/** Marks the run as running. Undefined if it is over; `full` if it has to wait. */
function begin(
  { db }: Services,
  { projectId, runId: id }: Payload,
  organizationId: string,
): Promise<ConformanceRun | 'full' | undefined> {
  return db.transaction(async (trx) => {
    await trx.row(runs.lockStarts, { organizationId });
    const run = await trx.row(runs.lock, { projectId, id });
    if (!run || !isOpen(run)) return undefined;
    const { count } = await trx.one(runs.countRunning, { organizationId, except: id });
    if (count >= maxAtOnce) return 'full';
    await trx.run(runs.recordHeartbeat, { id });
    return run;
  });
}

async function subjectOf(
  context: ProjectContext,
  { projectId, serverId, protocolVersion: revision }: ConformanceRun,
): Promise<Subject | undefined> {
  const server =
    serverId === null ? undefined : await context.db.row(servers.findLive, { projectId, id: serverId });
  return server && { context, server, revision, signal: context.callerGone() };
}

/** Skips suites that have a report from before a restart. */
async function runSuites(services: Services, run: ConformanceRun, subject: Subject): Promise<void> {
  const { db } = services;
  const owner = { organizationId: run.organizationId, projectId: run.projectId };
  const there = await db.rows(runs.reportsOf, { runIds: [run.id] });
  const left = run.requestedSuites.filter((one) => there.every(({ suiteKind }) => suiteKind !== one));
  for (const suiteKind of left) {
    subject.signal.throwIfAborted();
    const report = await suites[suiteKind]?.(subject);
    if (!report) continue;
    const prepared = await prepareReport(services, owner, { suiteKind, report });
    await db.transaction(async (trx) => {
      const locked = await trx.row(runs.lock, { projectId: run.projectId, id: run.id });
      if (locked && isOpen(locked)) await addReport(trx, locked, prepared);
    });
  }
}

function ended({ projectId, id }: Pick<ConformanceRun, 'projectId' | 'id'>, end: End): Commit {
  return async (trx) => {
    const run = await trx.row(runs.lock, { projectId, id });
    if (run) await settle(trx, run, end);
  };
}
