import { type OperationId, operationList } from '../../contract/index.ts';
import { isSafe, type Operation } from '../../contract/operation.ts';

const scheme = 'drydock:/';

/** Whether a URI alone can address the operation: GET, or a safe POST whose body may be empty. */
function isReadable(operation: Operation): boolean {
  if (!isSafe(operation) || operation.answers === 'events' || operation.upload) return false;
  return operation.method === 'GET' || operation.body?.safeParse({}).success === true;
}

const readable = operationList.filter(isReadable);

/** The URI template of an operation follows from its path: `drydock://projects/{projectId}/servers`. */
export function templateOf({ path }: Operation): string {
  return `${scheme}${path}`;
}

/** The URI of the full answer; undefined when the request had a body. */
export function addressOf(operation: Operation, input: Record<string, unknown>): string | undefined {
  if (!readable.includes(operation) || Object.keys((input['body'] as object | undefined) ?? {}).length > 0)
    return undefined;
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(input[name])),
  );
  const query = new URLSearchParams(
    Object.entries(input).flatMap(([name, value]) =>
      typeof value === 'string' && !operation.params.includes(name)
        ? [[name, value] as [string, string]]
        : [],
    ),
  );
  return `${scheme}${path}${query.size > 0 ? `?${query.toString()}` : ''}`;
}

export interface Link {
  uri: string;
  name: string;
}

/** A link to the answer of an operation. */
export function linkTo(id: OperationId, params: Record<string, string>, name: string): Link {
  const { path } = readable.find((operation) => operation.id === id) as Operation;
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, param: string) => encodeURIComponent(params[param] ?? ''));
  return { uri: `${scheme}${filled}`, name };
}

/** The operation and the input that a URI addresses. */
export function resolveAddress(
  uri: string,
): { operation: Operation; input: Record<string, string> } | undefined {
  if (!uri.startsWith(`${scheme}/`)) return undefined;
  const [path = '', query = ''] = uri.slice(scheme.length).split('?', 2);
  const parts = path.split('/').map(decoded);
  for (const operation of readable) {
    const names = operation.path.split('/');
    const fits =
      names.length === parts.length && names.every((name, at) => name.startsWith('{') || name === parts[at]);
    if (!fits) continue;
    const params = names.flatMap((name, at) =>
      name.startsWith('{') ? [[name.slice(1, -1), parts[at] ?? '']] : [],
    );
    return {
      operation,
      input: { ...Object.fromEntries(new URLSearchParams(query)), ...Object.fromEntries(params) },
    };
  }
  return undefined;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
