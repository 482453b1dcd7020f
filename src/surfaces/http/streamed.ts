import { operationList as operations } from '../../contract/index.ts';

/** Paths of operations that another one tells as it happens, and the paths of those. */
const streamed = new Map<string, string>(
  operations.flatMap(({ path, method, streamedBy }) => {
    const other = operations.find(({ id }) => id === streamedBy);
    return other ? [[`${method} /api/v1${path}`, `/api/v1${other.path}`]] : [];
  }),
);

/** Where a request goes that accepts events and no JSON: to the operation that tells them. */
export function forReadersOfEvents(
  method: string | undefined,
  url: string,
  accept: string | undefined,
): string {
  if (!accept?.includes('text/event-stream') || accept.includes('application/json')) return url;
  const [path = '', query] = url.split('?', 2);
  const other = streamed.get(`${method ?? ''} ${path}`);
  if (other === undefined) return url;
  return query === undefined ? other : `${other}?${query}`;
}
