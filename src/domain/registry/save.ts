import type { Db } from '../../platform/database/database.ts';
import * as projects from '../../platform/database/queries/projects.ts';
import * as connections from '../../platform/database/queries/registry-connections.ts';
import * as servers from '../../platform/database/queries/servers.ts';
import { newId } from '../../platform/ids.ts';
import { audit } from '../audit.ts';
import type { ProjectContext } from '../context.ts';
import { conflict, found } from '../refusals.ts';
import { saveUnderFreeName } from '../servers/rows.ts';
import { checkAddress, checkTransport, refuseManaged, requireCommandAdmin } from '../servers/rules.ts';
import { namesOfSecrets } from '../servers/secrets.ts';
import { writeServer } from '../servers/update.ts';

/** Where a server is: an address, or a command with its arguments. */
export type Place = { url: string } | { command: string[] };

export interface Installed {
  serverId: string;
  serverName: string;
  outcome: 'created' | 'reconnected';
}

/** What is to be installed. */
export interface Wanted {
  origin: { kind: 'registry' | 'catalog'; id: string };
  name: string;
  place: Place;
  endpointKind: string;
  settings?: Partial<servers.ServerSettings>;
  /** Whether one may also be at this address: then moving there is a choice, and nobody's to make silently. */
  alsoAt: (url: string) => boolean;
}

/**
 * Saves a server for a card or an entry of the directory, or finds the one that was saved for it. Installs in a project
 * follow each other, so that two at once make one server. Inside a transaction that holds the project.
 */
export async function install(context: ProjectContext, db: Db, wanted: Wanted): Promise<Installed> {
  const transportType = 'url' in wanted.place ? 'http' : 'stdio';
  await checkTransport({ ...context, db }, transportType);
  if (transportType === 'stdio') requireCommandAdmin(context);
  if ('url' in wanted.place) await checkAddress({ ...context, db }, wanted.place.url, 'endpointUrl');
  const projectId = context.project.id;
  await db.one(projects.lineUp, { id: projectId });
  const connection = await db.row(connections.find, { projectId, originId: wanted.origin.id });
  const installed = connection
    ? await reconnect(context, db, wanted, connection)
    : await save(context, db, wanted);
  await audit(db, context, 'registry.install', installed.serverId);
  return installed;
}

async function save(context: ProjectContext, db: Db, wanted: Wanted): Promise<Installed> {
  const { origin, endpointKind, place } = wanted;
  const projectId = context.project.id;
  const server = await saveUnderFreeName(
    db,
    {
      projectId,
      name: wanted.name,
      enabled: true,
      ...fieldsOf(place, { ...wanted.settings, ...namesOfSecrets({}) }),
      sealedId: null,
      pluginVersionId: null,
    },
    context.clock(),
  );
  await db.run(connections.insert, {
    id: newId('rgc', context.clock()),
    projectId,
    serverId: server.id,
    kind: origin.kind,
    registryServerId: origin.kind === 'registry' ? origin.id : null,
    catalogServerId: origin.kind === 'catalog' ? origin.id : null,
    endpointUrl: server.url,
    place: textOf(place),
    endpointKind,
  });
  return { serverId: server.id, serverName: server.name, outcome: 'created' };
}

/** The saved server goes where the origin has gone, unless somebody has pointed it elsewhere. */
async function reconnect(
  context: ProjectContext,
  db: Db,
  { place, endpointKind, settings, alsoAt }: Wanted,
  { id, serverId, place: installedAt }: connections.ConnectionRow,
): Promise<Installed> {
  const before = found(await db.row(servers.lock, { projectId: context.project.id, id: serverId }), 'server');
  await refuseManaged(db, before);
  const now = placeOf(before);
  const wantedAt = textOf(place);
  if (now !== wantedAt && (now !== installedAt || (before.url !== null && alsoAt(before.url))))
    throw conflict(
      'It is installed already, at another place. Edit or delete the saved server to have it elsewhere',
      'ALREADY_CONNECTED',
      { ...(before.url !== null && { connectedUrl: before.url }), serverId },
    );
  let server = before;
  if (now !== wantedAt) {
    // Like any other edit of a server that is a command.
    if (before.transportType === 'stdio') requireCommandAdmin(context);
    const { command: _, args: __, ...kept } = before.settings;
    const after = { ...before, ...fieldsOf(place, { ...kept, ...settings }) };
    ({ server } = await writeServer(context, db, before, after, {}));
  }
  await db.run(connections.renew, { id, endpointUrl: server.url, place: wantedAt, endpointKind });
  return { serverId, serverName: server.name, outcome: 'reconnected' };
}

function fieldsOf(
  place: Place,
  settings: servers.ServerSettings,
): Pick<servers.ServerRow, 'transportType' | 'url' | 'settings'> {
  if ('url' in place) return { transportType: 'http', url: place.url, settings };
  const [command = '', ...args] = place.command;
  return { transportType: 'stdio', url: null, settings: { ...settings, command, args } };
}

function textOf(place: Place): string {
  return 'url' in place ? place.url : JSON.stringify(place.command);
}

function placeOf({ transportType, url, settings }: servers.ServerRow): string {
  if (transportType === 'http') return url ?? '';
  return JSON.stringify([settings.command, ...(settings.args ?? [])]);
}
