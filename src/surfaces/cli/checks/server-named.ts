import type { Client } from '../../client/index.ts';
import { everything } from '../../everything.ts';
import { theOne } from '../find.ts';

interface Named {
  id: string;
  name: string;
}

/** A server by its id, its name or its URL; one with a URL that is not saved yet is saved, under its host or a name. */
export async function serverNamed(
  api: Client,
  projectId: string,
  wanted: string,
  as?: string,
): Promise<Named> {
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
  servers: readonly Named[],
): Promise<Named> {
  const { host } = new URL(url);
  const taken = new Set(servers.map(({ name }) => name.toLowerCase()));
  let name = host;
  for (let number = 2; taken.has(name.toLowerCase()); number++) name = `${host} ${number}`;
  return api.createProjectServer({ projectId, body: { name, url } });
}
