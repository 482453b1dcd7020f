import { api, type Output, queryOptions, useQuery } from '../../api/index.ts';
import type { State } from '../../kit/state.tsx';
import type { ServerRef } from './server-ref.ts';

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

export function doctorState(status: Report['status']): { state: State; word: string } {
  if (status === 'ready') return { state: 'passed', word: 'ready' };
  if (status === 'oauth_required') return { state: 'attention', word: 'needs authorization' };
  return status === 'partial'
    ? { state: 'inconclusive', word: 'partially working' }
    : { state: 'failed', word: 'not working' };
}
