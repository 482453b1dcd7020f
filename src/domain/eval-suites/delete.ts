import * as runs from '../../platform/database/queries/eval-runs.ts';
import * as contents from '../../platform/database/queries/eval-suite-contents.ts';
import * as suites from '../../platform/database/queries/eval-suites.ts';
import { enqueue, enqueueAll } from '../../platform/jobs/queue.ts';
import type { JobKind } from '../../platform/jobs/worker.ts';
import type { Services } from '../context.ts';
import { removeInBatches } from '../projects/remove-content.ts';
import { conflict } from '../refusals.ts';
import type { Verb } from '../verb.ts';
import { withSuite } from './suite.ts';

const kind = 'remove-eval-suite';

/** Gone for everybody when this returns; its cases and runs are removed in the background. */
export const deleteEvalSuite: Verb<'deleteEvalSuite'> = (context, { suiteId, declaredSuiteId }) => {
  const write = { suiteId, action: 'eval-suite.delete', declaredSuiteId, withoutIdToo: true };
  return withSuite(context, write, async (db, { id, projectId }) => {
    if ((await db.one(runs.openOfSuite, { suiteId: id })).open)
      throw conflict('A run of this suite is under way. Wait for it, or cancel it, first', 'RUN_UNDER_WAY');
    await db.run(suites.markDeleted, { projectId, id });
    const { organization, user } = context.actor;
    const onBehalfOf = { organizationId: organization.id, userId: user.id };
    await enqueue(db, kind, { suiteId: id }, { uniqueKey: id, onBehalfOf });
    return { id, deleted: true as const };
  });
};

export function suiteJobs({ db }: Pick<Services, 'db'>): JobKind[] {
  return [
    {
      kind,
      concurrency: 1,
      handle: async (payload, signal) => {
        const { suiteId } = payload as { suiteId: string };
        if (!(await db.row(contents.deleted, { suiteId }))) return undefined;
        for (const step of contents.steps)
          await removeInBatches((most) => db.run(step, { suiteId, most }), signal);
        return async (trx) => void (await trx.run(contents.remove, { suiteId }));
      },
    },
    {
      kind: 'find-deleted-eval-suites',
      every: 3_600_000,
      // Those whose job was given up.
      handle: async () => async (trx) => {
        const left = await trx.rows(contents.deleted, { suiteId: null });
        await enqueueAll(
          trx,
          left.map(({ id }) => ({ kind, payload: { suiteId: id }, uniqueKey: id })),
        );
      },
    },
  ];
}
