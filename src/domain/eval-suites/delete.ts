import * as runs from '../../platform/database/queries/eval-runs.ts';
import * as contents from '../../platform/database/queries/eval-suite-contents.ts';
import * as suites from '../../platform/database/queries/eval-suites.ts';
import type { JobKind } from '../../platform/jobs/worker.ts';
import { conflict } from '../base/refusals.ts';
import { removalJobs, removeLater } from '../base/removal.ts';
import type { Services } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { withSuite } from './suite.ts';

const kind = 'remove-eval-suite';

/** The suite is gone when this returns; its cases and runs are removed in the background. */
export const deleteEvalSuite: Verb<'deleteEvalSuite'> = (context, { suiteId, declaredSuiteId }) => {
  const write = { suiteId, action: 'eval-suite.delete', declaredSuiteId, withoutIdToo: true };
  return withSuite(context, write, async (db, { id, projectId }) => {
    if ((await db.one(runs.openOfSuite, { suiteId: id })).open)
      throw conflict('A run of this suite has not ended. Wait for it, or cancel it', 'RUN_UNDER_WAY');
    await db.run(suites.markDeleted, { projectId, id });
    const { organization, user } = context.actor;
    const onBehalfOf = { organizationId: organization.id, userId: user.id };
    await removeLater(db, kind, id, onBehalfOf);
    return { id, deleted: true as const };
  });
};

/** `first` ends work still using the runs of a suite. */
export function suiteJobs(
  { db }: Pick<Services, 'db'>,
  first: (suiteId: string, signal: AbortSignal) => Promise<void>,
): JobKind[] {
  return removalJobs(db, { kind, contents, first });
}
