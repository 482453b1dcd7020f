import { Refusal } from '../../../contract/errors.ts';
import * as suites from '../../../platform/database/queries/eval-suites.ts';
import { type Account, enqueueAll } from '../../../platform/jobs/queue.ts';
import type { JobHandler } from '../../../platform/jobs/worker.ts';
import { redact } from '../../../platform/log.ts';
import { jobKinds } from '../../base/job-kinds.ts';
import type { ProjectContext, Services } from '../../context/context.ts';
import { findSuite } from '../../eval-suites/suite.ts';
import { selectTarget } from '../../execution/selection.ts';
import { actFor } from '../../identity/act-for.ts';
import { startRun } from './start.ts';

/** Consecutive failed launches after which a schedule is turned off. */
const maxFailures = 5;

interface Due {
  suiteId: string;
  projectId: string;
  environmentId: string | null;
  /** Contains the due time, so that each due time launches at most once. */
  trigger: string;
}

/**
 * Fires schedules. A due schedule is claimed and its job created in one transaction. After downtime, each schedule
 * fires once, not once per missed time.
 */
export const fireSchedulesHandler: JobHandler = {
  handle: async () => async (trx) => {
    const due = await trx.rows(suites.fire);
    await enqueueAll(
      trx,
      due.map(({ id, projectId, organizationId, scheduleBy, scheduleDueAt, scheduleEnvironmentId }) => ({
        kind: jobKinds.launchScheduledEval,
        payload: {
          suiteId: id,
          projectId,
          environmentId: scheduleEnvironmentId,
          trigger: `schedule:${id}:${scheduleDueAt}`,
        } satisfies Due,
        uniqueKey: `${id}:${scheduleDueAt}`,
        onBehalfOf: { organizationId, userId: scheduleBy ?? '' },
      })),
    );
  },
};

export function launchScheduledHandler(services: Services): JobHandler {
  return {
    handle: async (payload, _signal, onBehalfOf) => {
      const due = payload as Due;
      if (!onBehalfOf) return;
      const state = await launchDue(services, due, onBehalfOf);
      await services.db.run(suites.noteLaunch, { id: due.suiteId, ...state });
    },
  };
}

/** Launches as the user who set the schedule, with that user's permissions. */
async function launchDue(
  services: Services,
  { suiteId, projectId, environmentId, trigger }: Due,
  account: Account,
): Promise<{ failures: number; state: suites.ScheduleState }> {
  const before = await services.db.row(suites.find, { projectId, id: suiteId });
  const failures = before?.scheduleFailures ?? 0;
  try {
    const context = await actFor(services, 'createEvalRun', { ...account, projectId, requestId: trigger });
    await launchSuite(context, suiteId, environmentId, trigger);
    return { failures: 0, state: 'active' };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    services.log.warn('Scheduled eval run could not be launched', {
      suiteId,
      code: error.code,
      error: redact(error.message),
    });
    return afterRefusal(error, failures + 1);
  }
}

async function launchSuite(
  context: ProjectContext,
  suiteId: string,
  environmentId: string | null,
  trigger: string,
): Promise<void> {
  const suite = await findSuite(context, suiteId);
  const selection = await selectTarget(context, suite, environmentId === null ? {} : { environmentId });
  await startRun(context, {
    suite,
    selection,
    overrides: { apiKeys: {}, approved: new Map() },
    excludeSkills: false,
    source: 'schedule',
    idempotencyKey: trigger,
    requestHash: trigger,
  });
}

/** Reaching the limit of concurrent runs is no failure: this time is skipped. */
function afterRefusal(
  { code, details }: Refusal,
  failures: number,
): { failures: number; state: suites.ScheduleState } {
  if (details?.['reason'] === 'CONCURRENT_RUN_LIMIT') return { failures: failures - 1, state: 'active' };
  if (code === 'RATE_LIMITED') return { failures, state: 'paused_quota' };
  if (code === 'OAUTH_REQUIRED' || code === 'FORBIDDEN' || code === 'UNAUTHORIZED')
    return { failures, state: 'paused_auth' };
  return { failures, state: failures >= maxFailures ? 'paused_failures' : 'active' };
}
