import type { Db } from '../../../platform/database/database.ts';
import * as sources from '../../../platform/database/queries/registry-sources.ts';
import { enqueueAll } from '../../../platform/jobs/queue.ts';
import type { JobHandler } from '../../../platform/jobs/worker.ts';
import { jobKinds } from '../../base/job-kinds.ts';
import type { Services } from '../../context/context.ts';

const readEvery = 3_600_000;

/** Takes over the sources of the configuration, and reads the new ones. */
export function nameSourcesHandler({ config }: Pick<Services, 'config'>): JobHandler {
  const { registrySources } = config;
  return {
    handle: async () => async (trx) => {
      await trx.run(sources.removeOthers, { sources: registrySources.map(({ name }) => name) });
      for (const { name, location } of registrySources)
        await trx.run(sources.name, { source: name, location });
      await enqueueDue(trx);
    },
  };
}

export async function anySourceDue({ db }: Pick<Services, 'db'>): Promise<boolean> {
  return (await db.row(sources.due, { every: readEvery })) !== undefined;
}

/** Keeps the directory up to date: each source is read hourly, by one process at a time. */
export const readSourcesHandler: JobHandler = { handle: async () => enqueueDue };

async function enqueueDue(trx: Db): Promise<void> {
  const due = await trx.rows(sources.due, { every: readEvery });
  await enqueueAll(
    trx,
    due.map(({ source }) => ({ kind: jobKinds.readRegistrySource, payload: { source }, uniqueKey: source })),
  );
}
