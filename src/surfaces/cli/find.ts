import { OperatorProblem } from '../../platform/problem.ts';
import type { Client } from '../client/index.ts';
import { everything } from '../common/everything.ts';
import { oneLine } from '../common/harmless-text.ts';
import { called, isId, type Named, nameOf, nearest } from '../common/naming.ts';

/** Maximum number of names searched for a similar one, which is slow. */
const maxCompared = 2000;

const createCommands: Readonly<Record<string, string>> = {
  client: 'clients create',
  environment: 'environments create',
  journey: 'journeys create',
  persona: 'personas create',
  project: 'projects create',
  server: 'servers create',
  suite: 'eval-suites create',
};

/** The item with this ID or name. The error suggests a similar name, or lists the names. */
export function theOne<Item extends Named>(what: string, wanted: string, items: readonly Item[]): Item {
  const found = called(wanted, items);
  const [first] = found;
  if (first && found.length === 1) return first;
  const quoted = oneLine(wanted, 100);
  if (first)
    throw new OperatorProblem(`Several ${plural(what)} are named "${quoted}". Use an ID: ${listed(found)}`);
  const none = `No ${what} named "${quoted}"`;
  if (items.length === 0) {
    const create = createCommands[what];
    const remedy = create === undefined ? '' : `. Create one with: drydock ${create}`;
    throw new OperatorProblem(`${none}. There are no ${plural(what)} yet${remedy}`);
  }
  const [near] = nearest(wanted, items.slice(0, maxCompared).map(nameOf));
  throw new OperatorProblem(
    near?.alike
      ? `${none}. Did you mean "${oneLine(near.name, 100)}"?`
      : `${none}. Available: ${listed(items)}`,
  );
}

function plural(what: string): string {
  return what.endsWith('s') ? what : `${what}s`;
}

function listed(items: readonly Named[]): string {
  const shown = items
    .slice(0, 10)
    .map((item) => `${oneLine(nameOf(item), 60) || '(unnamed)'} (${oneLine(item.id, 60)})`);
  return [...shown, ...(items.length > 10 ? [`and ${items.length - 10} more`] : [])].join(', ');
}

export async function suiteNamed(api: Client, projectId: string, wanted: string): Promise<{ id: string }> {
  return theOne('suite', wanted, await everything(api.listEvalSuites, { projectId }));
}

export async function journeyNamed(api: Client, projectId: string, wanted: string): Promise<string> {
  if (isId(wanted)) return wanted;
  return theOne('journey', wanted, await everything(api.listJourneys, { projectId })).id;
}

/** IDs are used unchecked, because the list contains no ad hoc environments. */
export async function environmentsNamed(
  api: Client,
  projectId: string,
  wanted: readonly string[],
): Promise<string[]> {
  if (wanted.every(isId)) return [...wanted];
  const known = await everything(api.listEnvironments, { projectId });
  return wanted.map((one) => (isId(one) ? one : theOne('environment', one, known).id));
}

interface NamedServer {
  id: string;
  name: string;
}

/** A server by ID, name or URL. An unknown URL is saved as a new server, named `as` or after its host. */
export async function serverNamed(
  api: Client,
  projectId: string,
  wanted: string,
  as?: string,
): Promise<NamedServer> {
  const servers = await everything(api.listProjectServers, { projectId });
  const isUrl = /^https?:\/\//i.test(wanted) && URL.canParse(wanted);
  if (!isUrl) return theOne('server', wanted, servers);
  const found = servers.find(
    ({ url }) => url !== null && URL.canParse(url) && hrefOf(url) === hrefOf(wanted),
  );
  if (found) return found;
  if (as !== undefined) return api.createProjectServer({ projectId, body: { name: as, url: wanted } });
  return saveUnderHost(api, projectId, wanted, servers);
}

function hrefOf(url: string): string {
  return new URL(url).href;
}

async function saveUnderHost(
  api: Client,
  projectId: string,
  url: string,
  servers: readonly NamedServer[],
): Promise<NamedServer> {
  const { host } = new URL(url);
  const taken = new Set(servers.map(({ name }) => name.toLowerCase()));
  let name = host;
  for (let number = 2; taken.has(name.toLowerCase()); number++) name = `${host} ${number}`;
  return api.createProjectServer({ projectId, body: { name, url } });
}
