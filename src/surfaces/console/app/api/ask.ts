import { type InfiniteData, infiniteQueryOptions, QueryClient, queryOptions } from '@tanstack/react-query';
import type { ConsoleClient, ConsoleInput, ConsoleOutput } from '../../../client/console.ts';
import { type Client, DrydockError, type Input, type Output } from '../../../client/index.ts';
import { api, people } from './client.ts';
import { onRecovery } from './connection.ts';

/** Operations that answer with one JSON document. */
type Asking = {
  [Id in keyof Client]: ReturnType<Client[Id]> extends Promise<infer Answer>
    ? Answer extends Response
      ? never
      : Id
    : never;
}[keyof Client];

/** Those that answer page by page. */
type Listing = { [Id in Asking]: Output<Id> extends { items: unknown[] } ? Id : never }[Asking];

type Call<Id extends Asking> = (input: Input<Id>, options: { signal: AbortSignal }) => Promise<Output<Id>>;

/** What an operation answers, kept under its name and what it was asked with. */
export function ask<Id extends Asking>(id: Id, input: Input<Id>) {
  return queryOptions<Output<Id>>({
    queryKey: [id, input],
    queryFn: ({ signal }) => (api[id] as unknown as Call<Id>)(input, { signal }),
  });
}

type AskingPeople = keyof ConsoleClient;
type CallPeople<Id extends AskingPeople> = (
  input: ConsoleInput<Id>,
  options: { signal: AbortSignal },
) => Promise<ConsoleOutput<Id>>;

/** The same for what only people do. */
export function askPeople<Id extends AskingPeople>(id: Id, input: ConsoleInput<Id>) {
  return queryOptions<ConsoleOutput<Id>>({
    queryKey: [id, input],
    queryFn: ({ signal }) => (people[id] as unknown as CallPeople<Id>)(input, { signal }),
  });
}

/** The same, page after page. What differs for those behind the first is `behind`. */
export function askPages<Id extends Listing>(id: Id, input: Input<Id>, behind: Partial<Input<Id>> = {}) {
  return pagesOf<Input<Id>, Output<Id>>(id, input, api[id] as unknown as Call<Id>, behind);
}

/** Lists of what only people do that grow without bound. */
type ListingPeople = 'listKeys' | 'listAuditEvents';

export function askPeoplePages<Id extends ListingPeople>(id: Id, input: ConsoleInput<Id>) {
  return pagesOf<ConsoleInput<Id>, ConsoleOutput<Id>>(id, input, people[id] as unknown as CallPeople<Id>);
}

function pagesOf<In, Out>(
  id: string,
  input: In,
  call: (input: In, options: { signal: AbortSignal }) => Promise<Out>,
  behind: Partial<In> = {},
) {
  return infiniteQueryOptions<Out, Error, InfiniteData<Out>, readonly unknown[], string | undefined>({
    queryKey: [id, 'pages', input],
    queryFn: ({ signal, pageParam: cursor }) =>
      call({ ...input, ...(cursor !== undefined && { ...behind, cursor }) }, { signal }),
    initialPageParam: undefined,
    getNextPageParam: (page) => (page as { nextCursor?: string | undefined }).nextCursor,
  });
}

/** Whatever was read from one operation, whoever asked. */
export function answersOf(id: keyof Client | keyof ConsoleClient) {
  return { queryKey: [id] };
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      // The client repeats what can be repeated; a refusal stays one.
      retry: (failures, error) => failures < 2 && !(error instanceof DrydockError),
      refetchOnWindowFocus: true,
    },
    mutations: { retry: false },
  },
});

// What failed or grew old while the service was away.
onRecovery(() => void queryClient.invalidateQueries());
