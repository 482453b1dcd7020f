import * as sources from '../../../platform/database/queries/registry-sources.ts';
import { enqueueAll } from '../../../platform/jobs/queue.ts';
import type { JobKind } from '../../../platform/jobs/worker.ts';
import type { Services } from '../../context/context.ts';
import { readSource } from './read-source.ts';

const read = 'read-registry-source';
const minute = 60_000;
const readEvery = 60 * minute;

/** Keeps the directory up to date: each source is read hourly, by one process at a time. */
export function registryJobs(services: Services): JobKind[] {
  const { registrySources } = services.config;
  return [
    {
      kind: 'schedule-registry-sources',
      every: minute / 4,
      handle: async () => async (trx) => {
        await trx.run(sources.removeOthers, { sources: registrySources.map(({ name }) => name) });
        for (const { name, location } of registrySources)
          await trx.run(sources.name, { source: name, location });
        const due = await trx.rows(sources.due, { every: readEvery });
        await enqueueAll(
          trx,
          due.map(({ source }) => ({ kind: read, payload: { source }, uniqueKey: source })),
        );
      },
    },
    {
      kind: read,
      attempts: 3,
      concurrency: 1,
      handle: async (payload, signal) => {
        const { source } = payload as { source: string };
        const named = registrySources.find(({ name }) => name === source);
        if (named) await readSource(services, named, signal);
      },
    },
  ];
}
