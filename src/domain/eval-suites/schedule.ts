import { Refusal } from '../../contract/errors.ts';
import * as suites from '../../platform/database/queries/eval-suites.ts';
import { conflict, invalid } from '../base/refusals.ts';
import type { Verb } from '../context/verb.ts';
import { vocabularyOf } from './cases/vocabulary.ts';
import { presentSuite } from './present.ts';
import { type Suite, suiteOf, withSuite } from './suite.ts';

const msPerMinute = 60_000;

export const updateEvalSuiteSchedule: Verb<'updateEvalSuiteSchedule'> = (context, input) => {
  const { body, suiteId } = input;
  const declaredSuiteId = input.declaredSuiteId ?? body.declaredSuiteId;
  const write = { suiteId, action: 'eval-suite.schedule', declaredSuiteId };
  return withSuite(context, write, async (db, suite) => {
    const minutes = body.intervalMinutes ?? suite.scheduleMinutes;
    const which = { projectId: suite.projectId, id: suite.id };
    const show = async (row: suites.SuiteRow) => presentSuite(db, suiteOf(row), vocabularyOf(input));
    if (!body.enabled) {
      if (body.environmentId !== undefined)
        throw invalid('environmentId: Only with "enabled": true. The pinned environment is kept');
      const off = { ...suite, scheduleEnabled: false, scheduleState: null, scheduleDueAt: null };
      return show(await db.one(suites.setSchedule, { ...off, ...which, scheduleMinutes: minutes }));
    }
    if (minutes === null) throw invalid('intervalMinutes: Required, because none was set before');
    // An unchanged interval keeps the due time, so that repeating the request does not postpone the run.
    const keeps = suite.scheduleDueAt !== null && minutes === suite.scheduleMinutes;
    const row = await db.one(suites.setSchedule, {
      ...which,
      scheduleEnabled: true,
      scheduleMinutes: minutes,
      scheduleEnvironmentId: pinned(suite, body.environmentId),
      scheduleState: 'active',
      scheduleBy: context.actor.user.id,
      scheduleDueAt: keeps ? suite.scheduleDueAt : context.clock() + minutes * msPerMinute,
      scheduleFailures: 0,
    });
    return show(row);
  });
};

/** The environment for scheduled runs: the named one, otherwise the saved one if still attached. */
function pinned(suite: Suite, wanted: string | undefined): string | null {
  const { environmentIds } = suite;
  if (wanted !== undefined && !environmentIds.includes(wanted))
    throw new Refusal('VALIDATION_ERROR', 'environmentId: Not attached to this suite. Attach it first', {
      details: { reason: 'ENVIRONMENT_NOT_ATTACHED', environmentIds },
    });
  const saved = suite.scheduleEnvironmentId;
  const chosen = wanted ?? (saved !== null && environmentIds.includes(saved) ? saved : null);
  requirePin(chosen, environmentIds, 'environmentId: Several environments are attached. Select the one that');
  return chosen;
}

function requirePin(pinned: string | null, environmentIds: readonly string[], problem: string): void {
  if (pinned === null && environmentIds.length > 1)
    throw new Refusal('VALIDATION_ERROR', `${problem} scheduled runs use`, {
      details: { reason: 'SCHEDULE_ENVIRONMENT_PIN_REQUIRED', environmentIds },
    });
}

/** Refuses environments that would leave the schedule without a definite environment. */
export function requireSchedulable(suite: Suite, environmentIds: readonly string[]): void {
  const { scheduleEnvironmentId: id, scheduleEnabled } = suite;
  if (!scheduleEnabled) return;
  requirePin(
    id,
    environmentIds,
    'environmentIds: Several environments, and none is pinned. First select the one that',
  );
  if (id !== null && !environmentIds.includes(id))
    throw conflict(
      `The schedule of this suite uses the environment ${id}. First pin another one, or turn the schedule off`,
      'SCHEDULE_ENVIRONMENT_PINNED',
      { environmentId: id },
    );
}
