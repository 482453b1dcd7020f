/** The API as pages use it: clients, queries, actions, and the types of what they send and receive. */

export type { ConsoleOutput } from '../../../client/console.ts';
export type { Client, Input, Output } from '../../../client/index.ts';
export { useAction, useSubmit } from './action.ts';
export {
  ask,
  askPages,
  askPeople,
  askPeoplePages,
  type InfiniteData,
  infiniteQueryOptions,
  keepPreviousData,
  maxPageSize,
  queryOptions,
  type UseQueryResult,
  useInfiniteQuery,
  useQueries,
  useQuery,
} from './ask.ts';
export { fetchQuery, prefetchInfiniteQuery, prefetchQuery, refreshAfter } from './cache.ts';
export { api, people } from './client.ts';
