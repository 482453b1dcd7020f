import { Refusal } from '../../contract/errors.ts';
import type { Calling } from './agent.ts';
import { patiently } from './patience.ts';
import { named } from './quoted.ts';

interface Named {
  id: string;
  name: string;
}

/** What every id of ours looks like. */
const idShape = /^[a-z]+_[0-9a-hjkmnp-tv-z]{26}$/;

/** The project of an id or a name; left out, the Default one, or the only one there is. */
export async function projectOf(calling: Calling, wanted: string | undefined): Promise<Named> {
  if (wanted !== undefined && idShape.test(wanted)) return { id: wanted, name: wanted };
  const { items } = await patiently(
    () => calling.agent.client.listProjects({}, { signal: calling.signal }),
    calling.signal,
  );
  if (wanted === undefined) {
    const found = items.find(({ name }) => name === 'Default') ?? items[0];
    if (found) return found;
    throw new Refusal('NOT_FOUND', 'The key reaches no project');
  }
  return pick('project', items, wanted, 'this organization');
}

export async function serverOf(calling: Calling, projectId: string, wanted: string): Promise<Named> {
  if (idShape.test(wanted)) return { id: wanted, name: wanted };
  const { client } = calling.agent;
  const { items } = await patiently(
    () => client.listProjectServers({ projectId }, { signal: calling.signal }),
    calling.signal,
  );
  return pick('server', items, wanted, 'the project');
}

export async function suiteOf(calling: Calling, projectId: string, wanted: string): Promise<Named> {
  if (idShape.test(wanted)) return { id: wanted, name: wanted };
  const { client } = calling.agent;
  const { items } = await patiently(
    () => client.listEvalSuites({ projectId }, { signal: calling.signal }),
    calling.signal,
  );
  return pick(
    'suite',
    items.map(({ id, name }) => ({ id, name: name ?? id })),
    wanted,
    'the project',
  );
}

export async function environmentOf(calling: Calling, projectId: string, wanted: string): Promise<Named> {
  if (idShape.test(wanted)) return { id: wanted, name: wanted };
  const { client } = calling.agent;
  const { items } = await patiently(
    () => client.listEnvironments({ projectId }, { signal: calling.signal }),
    calling.signal,
  );
  return pick(
    'environment',
    items.map(({ id, name }) => ({ id, name: name ?? id })),
    wanted,
    'the project',
  );
}

/** By id, by name, or by a name that differs in case only. */
function pick(kind: string, items: readonly Named[], wanted: string, where: string): Named {
  const same = (text: string): string => text.trim().toLowerCase();
  const alike = items.filter(({ name }) => same(name) === same(wanted));
  const found =
    items.find(({ id }) => id === wanted) ??
    items.find(({ name }) => name === wanted) ??
    (alike.length === 1 ? alike[0] : undefined);
  if (found) return found;
  const near = nearest(
    wanted,
    items.map(({ name }) => name),
  ).map((name) => named(name));
  const known = near.length > 0 ? `The nearest names: ${near.join(', ')}` : 'There are none';
  throw new Refusal('NOT_FOUND', `No ${kind} ${named(wanted)} in ${where}. ${known}`);
}

/** Up to five that share most with what was asked for. */
export function nearest(wanted: string, names: readonly string[]): string[] {
  const of = pairsOf(wanted);
  const score = (name: string): number => {
    const pairs = pairsOf(name);
    const common = [...of].filter((pair) => pairs.has(pair)).length;
    return common / Math.max(1, of.size + pairs.size - common);
  };
  return names
    .map((name) => ({ name, score: score(name) }))
    .toSorted((a, b) => b.score - a.score)
    .slice(0, 5)
    .map(({ name }) => name);
}

function pairsOf(text: string): Set<string> {
  const plain = ` ${text.toLowerCase().slice(0, 200)} `;
  return new Set(Array.from({ length: plain.length - 1 }, (_, at) => plain.slice(at, at + 2)));
}
