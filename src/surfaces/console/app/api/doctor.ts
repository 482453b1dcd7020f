import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Output } from '../../../client/index.ts';
import { api } from './client.ts';

interface ServerRef {
  projectId: string;
  serverId: string;
}

export type Report = Output<'runDoctor'>;
export type Check = Report['checks']['probe'];
type Checks = Partial<Report['checks']>;

/** Runs when the page opens and on request only, because each run connects to the server. */
export function useDoctor(which: ServerRef, enabled = true) {
  return useQuery({
    queryKey: ['runDoctor', which],
    queryFn: async ({ signal, client }): Promise<Report> => {
      const { queryKey } = partialReport(which);
      client.setQueryData<Checks>(queryKey, {});
      for await (const event of api.watchDoctor({ ...which, body: {} }, { signal })) {
        if (event.type === 'report') return event.report;
        client.setQueryData<Checks>(queryKey, (checks) => ({ ...checks, [event.name]: event.check }));
      }
      throw new TypeError('Diagnostics were interrupted.');
    },
    enabled,
    staleTime: 5 * 60_000,
    refetchOnWindowFocus: false,
  });
}

export function useChecks(which: ServerRef): Checks {
  return useQuery({ ...partialReport(which), enabled: false }).data ?? {};
}

function partialReport(which: ServerRef) {
  return queryOptions<Checks>({
    queryKey: ['checks so far', which],
    queryFn: () => ({}),
  });
}
