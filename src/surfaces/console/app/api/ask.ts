import { type InfiniteData, infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { ConsoleClient, ConsoleInput, ConsoleOutput } from '../../../client/console.ts';
import type { Client, Input, Output } from '../../../client/index.ts';
import { api, people } from './client.ts';

export {
  type InfiniteData,
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  type UseQueryResult,
  useInfiniteQuery,
  useQueries,
  useQuery,
} from '@tanstack/react-query';

/** The maximum page size of the API, for lists that are only used to look up names. */
export const maxPageSize = 200;

/** Operations that return one JSON document. */
type Asking = {
  [Id in keyof Client]: ReturnType<Client[Id]> extends Promise<infer Answer>
    ? Answer extends Response
      ? never
      : Id
    : never;
}[keyof Client];

/** Operations that return pages of items. */
type Listing = { [Id in Asking]: Output<Id> extends { items: unknown[] } ? Id : never }[Asking];

type Call<Id extends Asking> = (input: Input<Id>, options: { signal: AbortSignal }) => Promise<Output<Id>>;

/** Query options of an operation, cached under its ID and input. */
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

/** Query options of a console-only operation. */
export function askPeople<Id extends AskingPeople>(id: Id, input: ConsoleInput<Id>) {
  return queryOptions<ConsoleOutput<Id>>({
    queryKey: [id, input],
    queryFn: ({ signal }) => (people[id] as unknown as CallPeople<Id>)(input, { signal }),
  });
}

/** Query options of a paged operation. `behind` is added to the input of every page after the first. */
export function askPages<Id extends Listing>(id: Id, input: Input<Id>, behind: Partial<Input<Id>> = {}) {
  return pagesOf<Input<Id>, Output<Id>>(id, input, api[id] as unknown as Call<Id>, behind);
}

/** Console-only operations that return pages. */
type ListingPeople = 'listKeys' | 'listAuditEvents';

export function askPeoplePages<Id extends ListingPeople>(id: Id, input: ConsoleInput<Id>) {
  return pagesOf<ConsoleInput<Id>, ConsoleOutput<Id>>(id, input, people[id] as unknown as CallPeople<Id>);
}

/** The pages loaded so far, and their items as one list. */
interface Listed<Out> extends InfiniteData<Out, string | undefined> {
  items: Out extends { items: (infer Item)[] } ? Item[] : never;
}

function listed<Out>(data: InfiniteData<Out, string | undefined>): Listed<Out> {
  const pages = data.pages as { items: unknown[] }[];
  return { ...data, items: pages.flatMap(({ items }) => items) as Listed<Out>['items'] };
}

function pagesOf<In, Out>(
  id: string,
  input: In,
  call: (input: In, options: { signal: AbortSignal }) => Promise<Out>,
  behind: Partial<In> = {},
) {
  return infiniteQueryOptions<Out, Error, Listed<Out>, readonly unknown[], string | undefined>({
    queryKey: [id, 'pages', input],
    queryFn: ({ signal, pageParam: cursor }) =>
      call({ ...input, ...(cursor !== undefined && { ...behind, cursor }) }, { signal }),
    initialPageParam: undefined,
    getNextPageParam: (page) => (page as { nextCursor?: string | undefined }).nextCursor,
    select: listed,
  });
}
