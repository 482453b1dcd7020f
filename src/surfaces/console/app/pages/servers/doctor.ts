import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Output } from '../../../../client/index.ts';
import { answersOf } from '../../api/ask.ts';
import { api } from '../../api/client.ts';
import type { State } from '../../kit/state.tsx';
import type { Which } from './which.ts';

export type Report = Output<'runDoctor'>;
export type Check = Report['checks']['probe'];
type Checks = Partial<Report['checks']>;

/** Examined when the page is opened, and again when asked: it makes a connection each time. */
export function useDoctor(which: Which, enabled = true) {
  return useQuery({
    queryKey: [...answersOf('runDoctor').queryKey, which],
    queryFn: async ({ signal, client }): Promise<Report> => {
      const { queryKey } = soFar(which);
      client.setQueryData<Checks>(queryKey, {});
      for await (const event of api.watchDoctor({ ...which, body: {} }, { signal })) {
        if (event.type === 'report') return event.report;
        client.setQueryData<Checks>(queryKey, (checks) => ({ ...checks, [event.name]: event.check }));
      }
      throw new TypeError('The examination broke off.');
    },
    enabled,
    staleTime: 5 * 60_000,
    refetchOnWindowFocus: false,
  });
}

/** What the examination that is under way has found, check by check. */
export function useChecks(which: Which): Checks {
  return useQuery({ ...soFar(which), enabled: false }).data ?? {};
}

function soFar(which: Which) {
  return queryOptions<Checks>({
    queryKey: ['checks so far', which],
    queryFn: () => ({}),
  });
}

export function doctorState(status: Report['status']): { state: State; word: string } {
  if (status === 'ready') return { state: 'passed', word: 'ready' };
  if (status === 'oauth_required') return { state: 'attention', word: 'needs authorization' };
  return status === 'partial'
    ? { state: 'inconclusive', word: 'answers in part' }
    : { state: 'failed', word: 'does not work' };
}
