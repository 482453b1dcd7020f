import * as runs from '../../platform/database/queries/eval-runs.ts';
import * as suites from '../../platform/database/queries/eval-suites.ts';
import { jobKinds } from '../base/job-kinds.ts';
import { conflict } from '../base/refusals.ts';
import { removeLater } from '../base/removal.ts';
import type { Verb } from '../context/verb.ts';
import { withSuite } from './suite.ts';

/** The suite is gone when this returns; its cases and runs are removed in the background. */
export const deleteEvalSuite: Verb<'deleteEvalSuite'> = (context, { suiteId, declaredSuiteId }) => {
  const write = { suiteId, action: 'eval-suite.delete', declaredSuiteId, withoutIdToo: true };
  return withSuite(context, write, async (db, { id, projectId }) => {
    if ((await db.one(runs.openOfSuite, { suiteId: id })).open)
      throw conflict('A run of this suite has not ended. Wait for it, or cancel it', 'RUN_UNDER_WAY');
    await db.run(suites.markDeleted, { projectId, id });
    const { organization, user } = context.actor;
    const onBehalfOf = { organizationId: organization.id, userId: user.id };
    await removeLater(db, jobKinds.removeEvalSuite, id, onBehalfOf);
    return { id, deleted: true as const };
  });
};
