import { Refusal } from '../../contract/errors.ts';
import { named } from '../../platform/quoted.ts';
import { called, isId, nameOf, nearest } from '../naming.ts';
import type { Calling } from './agent.ts';
import { everyEnvironment, everyProject, everyServer, everySuite } from './lists.ts';

interface Chosen {
  id: string;
  name: string;
}

/** The project of an id or a name; left out, the Default one, or the only one there is. */
export async function projectOf(calling: Calling, wanted: string | undefined): Promise<Chosen> {
  if (wanted !== undefined && isId(wanted)) return { id: wanted, name: wanted };
  const items = await everyProject(calling);
  if (wanted === undefined) {
    const [only] = items;
    if (only && items.length === 1) return only;
    if (!only) throw new Refusal('NOT_FOUND', 'The key reaches no project');
  }
  return pick('project', items, wanted ?? 'Default', 'this organization');
}

export async function serverOf(calling: Calling, projectId: string, wanted: string): Promise<Chosen> {
  if (isId(wanted)) return { id: wanted, name: wanted };
  return pick('server', await everyServer(calling, projectId), wanted, 'the project');
}

export async function suiteOf(calling: Calling, projectId: string, wanted: string): Promise<Chosen> {
  if (isId(wanted)) return { id: wanted, name: wanted };
  const items = await everySuite(calling, projectId);
  return pick('suite', items.map(withName), wanted, 'the project');
}

export async function environmentOf(calling: Calling, projectId: string, wanted: string): Promise<Chosen> {
  if (isId(wanted)) return { id: wanted, name: wanted };
  const items = await everyEnvironment(calling, projectId);
  return pick('environment', items.map(withName), wanted, 'the project');
}

function withName({ id, name }: { id: string; name?: string | null | undefined }): Chosen {
  return { id, name: name ?? id };
}

/** Looking for the nearest among more takes longer than it helps. */
const mostCompared = 2000;

/** The one with this id or name; the refusal has the nearest names. */
export function pick(kind: string, items: readonly Chosen[], wanted: string, where: string): Chosen {
  const found = called(wanted, items);
  const [first] = found;
  if (first && found.length === 1) return first;
  const names = first
    ? found.map(({ id }) => id)
    : nearest(wanted, items.slice(0, mostCompared).map(nameOf)).map(({ name }) => named(name));
  const shown = names.slice(0, 5).join(', ');
  if (first)
    throw new Refusal('NOT_FOUND', `Several are called ${named(wanted)} in ${where}. Their ids: ${shown}`);
  const known = shown === '' ? 'There are none' : `The nearest names: ${shown}`;
  throw new Refusal('NOT_FOUND', `No ${kind} ${named(wanted)} in ${where}. ${known}`);
}
