import { Refusal } from '../../contract/errors.ts';
import { named } from '../../platform/quoted.ts';
import { everything } from '../common/everything.ts';
import { called, isId, nameOf, nearest } from '../common/naming.ts';
import type { Calling } from './agent.ts';
import { retryingClient } from './rate-limit-retry.ts';

export const everyProject = (calling: Calling) => everything(retryingClient(calling).listProjects, {});

export const everyServer = (calling: Calling, projectId: string) =>
  everything(retryingClient(calling).listProjectServers, { projectId });

export const everySuite = (calling: Calling, projectId: string) =>
  everything(retryingClient(calling).listEvalSuites, { projectId });

export const everyEnvironment = (calling: Calling, projectId: string) =>
  everything(retryingClient(calling).listEnvironments, { projectId });

interface Chosen {
  id: string;
  name: string;
}

/** The named project; otherwise the only one, or the Default one. */
export async function projectOf(calling: Calling, wanted: string | undefined): Promise<Chosen> {
  if (wanted !== undefined && isId(wanted)) return { id: wanted, name: wanted };
  const items = await everyProject(calling);
  if (wanted === undefined) {
    const [only] = items;
    if (only && items.length === 1) return only;
    if (!only) throw new Refusal('NOT_FOUND', 'The account of this key has no project');
  }
  return pick('project', items, wanted ?? 'Default', 'this organization');
}

type Named = { id: string; name?: string | null | undefined };
type List = (calling: Calling, projectId: string) => Promise<readonly Named[]>;

const inProject =
  (kind: string, list: List) =>
  async (calling: Calling, projectId: string, wanted: string): Promise<Chosen> => {
    if (isId(wanted)) return { id: wanted, name: wanted };
    const items = (await list(calling, projectId)).map(({ id, name }) => ({ id, name: name ?? id }));
    return pick(kind, items, wanted, 'the project');
  };

export const serverOf = inProject('server', everyServer);
export const suiteOf = inProject('suite', everySuite);
export const environmentOf = inProject('environment', everyEnvironment);

/** Maximum number of names searched for similar ones, which is slow. */
const maxCompared = 2000;

/** The item with this ID or name. The error lists similar names. */
export function pick(kind: string, items: readonly Chosen[], wanted: string, where: string): Chosen {
  const found = called(wanted, items);
  const [first] = found;
  if (first && found.length === 1) return first;
  const names = first
    ? found.map(({ id }) => id)
    : nearest(wanted, items.slice(0, maxCompared).map(nameOf)).map(({ name }) => named(name));
  const shown = names.slice(0, 5).join(', ');
  if (first)
    throw new Refusal('NOT_FOUND', `Several are named ${named(wanted)} in ${where}. Their IDs: ${shown}`);
  const known = shown === '' ? 'There are none' : `Similar names: ${shown}`;
  throw new Refusal('NOT_FOUND', `No ${kind} ${named(wanted)} in ${where}. ${known}`);
}
