import { setImmediate as nextTurn } from 'node:timers/promises';
import { hasMoreElements } from '../platform/json/bounds.ts';

/** The list in a result that is checked element by element, and the protocol's type of the result. */
const results: Record<string, { list: string; type: SpecResult }> = {
  'tools/call': { list: 'content', type: 'CallToolResult' },
  'tools/list': { list: 'tools', type: 'ListToolsResult' },
  'prompts/list': { list: 'prompts', type: 'ListPromptsResult' },
  'prompts/get': { list: 'messages', type: 'GetPromptResult' },
  'resources/list': { list: 'resources', type: 'ListResourcesResult' },
  'resources/templates/list': { list: 'resourceTemplates', type: 'ListResourceTemplatesResult' },
  'resources/read': { list: 'contents', type: 'ReadResourceResult' },
};

type SpecResult =
  | 'CallToolResult'
  | 'ListToolsResult'
  | 'ListPromptsResult'
  | 'GetPromptResult'
  | 'ListResourcesResult'
  | 'ListResourceTemplatesResult'
  | 'ReadResourceResult';

/** Elements checked before yielding, and milliseconds in total. */
const atOnce = 20;
const maxDuration = 100;
/** Maximum values inside one element; a larger element is skipped. */
const maxInside = 2_000;

/**
 * Why a result violates the protocol's schema, or undefined. Checks long lists in slices, up to a time limit, so that
 * other requests are not blocked.
 */
export async function schemaViolation(
  method: string,
  result: Record<string, unknown>,
): Promise<string | undefined> {
  const known = results[method];
  if (!known || result['resultType'] === 'input_required' || result['resultType'] === 'task')
    return undefined;
  const { specTypeSchemas } = await import('@modelcontextprotocol/client');
  const check = (value: unknown, offset: number): string | undefined => {
    const outcome = specTypeSchemas[known.type]['~standard'].validate(value);
    if (outcome instanceof Promise || !outcome.issues) return undefined;
    return wordsOf(method, outcome.issues[0], known.list, offset);
  };
  const { [known.list]: list, ...shell } = result;
  if (!Array.isArray(list)) return hasMoreElements(result, maxInside) ? undefined : check(result, 0);
  const around = hasMoreElements(shell, maxInside) ? {} : shell;
  const ends = performance.now() + maxDuration;
  for (let at = 0; at === 0 || at < list.length; at += atOnce) {
    const some = list.slice(at, at + atOnce).filter((one) => !hasMoreElements(one, maxInside));
    const complaint = check({ ...(at === 0 && around), [known.list]: some }, at);
    if (complaint !== undefined) return complaint;
    if (performance.now() > ends) return undefined;
    if (at > 0) await nextTurn();
  }
  return undefined;
}

interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

function wordsOf(method: string, issue: Issue | undefined, list: string, offset: number): string {
  const keys = (issue?.path ?? []).map((step) => (typeof step === 'object' ? step.key : step));
  const path = keys.map((key, place) =>
    place === 1 && keys[0] === list && typeof key === 'number' ? String(key + offset) : String(key),
  );
  const where = path.length > 0 ? ` at ${path.join('.')}` : '';
  return `The result of ${method} does not follow the protocol${where}: ${issue?.message ?? 'unknown'}`;
}
