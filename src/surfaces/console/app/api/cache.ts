import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement, type ReactNode } from 'react';
import { DrydockError } from '../../../client/index.ts';
import { onRecovery } from './connection.ts';
import { type OperationName, staleAfterEvent } from './writes.ts';

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      // The API client already retries what is safe to retry; other refusals are final.
      retry: (failures, error) => failures < 2 && !(error instanceof DrydockError),
      refetchOnWindowFocus: true,
    },
    // Results of writes are dropped when their page unmounts: some are secrets that are shown once.
    mutations: { retry: false, gcTime: 0 },
  },
});

// Queries may have failed or become stale while the service was unreachable.
onRecovery(() => void queryClient.invalidateQueries());

export function QueryProvider({ children }: { children: ReactNode }) {
  return createElement(QueryClientProvider, { client: queryClient }, children);
}

/** Invalidates the cached results of these operations and refetches those on screen. */
export async function refresh(...ids: readonly OperationName[]): Promise<void> {
  await Promise.all(ids.map((id) => queryClient.invalidateQueries({ queryKey: [id] })));
}

/** Refreshes what an event of a stream has changed. */
export function refreshAfter(event: keyof typeof staleAfterEvent): Promise<void> {
  return refresh(...staleAfterEvent[event]);
}

/** Fetches if the cached result is stale; throws if the request fails. */
export const fetchQuery = queryClient.fetchQuery.bind(queryClient);
/** Fill the cache before a page renders; the page shows errors. */
export const prefetchQuery = queryClient.prefetchQuery.bind(queryClient);
export const prefetchInfiniteQuery = queryClient.prefetchInfiniteQuery.bind(queryClient);
