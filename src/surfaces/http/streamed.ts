import { routes } from '../../contract/routes.ts';

/** Paths of operations, with the paths of the operations that stream them. */
const streamed = new Map<string, string>(
  routes.flatMap(({ path, method, streamedBy }) => {
    const other = routes.find(({ id }) => id === streamedBy);
    return other ? [[`${method} /api/v1${path}`, `/api/v1${other.path}`]] : [];
  }),
);

/** Redirects requests that accept events and no JSON to the streaming operation. */
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
