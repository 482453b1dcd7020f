import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement, type ReactNode } from 'react';
import { DrydockError } from '../../../client/index.ts';
import { onRecovery } from './connection.ts';
import type { OperationName } from './writes.ts';

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      // The API client already retries what is safe to retry; a refusal is final.
      retry: (failures, error) => failures < 2 && !(error instanceof DrydockError),
      refetchOnWindowFocus: true,
    },
    // Results of actions are dropped with their page: some of them are secrets that are shown once.
    mutations: { retry: false, gcTime: 0 },
  },
});

// Refetches what failed or became stale while the service could not be reached.
onRecovery(() => void queryClient.invalidateQueries());

export function QueryProvider({ children }: { children: ReactNode }) {
  return createElement(QueryClientProvider, { client: queryClient }, children);
}

/** Marks every cached answer of these operations as stale and refetches those on screen. */
export async function refresh(...ids: readonly OperationName[]): Promise<void> {
  await Promise.all(ids.map((id) => queryClient.invalidateQueries({ queryKey: [id] })));
}

/** Reads from the service when the cached answer is stale, and throws what the service refuses. */
export const fetchQuery = queryClient.fetchQuery.bind(queryClient);
/** Fill the cache before a page asks; the page shows what fails. */
export const prefetchQuery = queryClient.prefetchQuery.bind(queryClient);
export const prefetchInfiniteQuery = queryClient.prefetchInfiniteQuery.bind(queryClient);
