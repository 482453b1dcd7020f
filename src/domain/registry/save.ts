import type { Db } from '../../platform/database/database.ts';
import * as projects from '../../platform/database/queries/projects.ts';
import * as connections from '../../platform/database/queries/registry-connections.ts';
import * as servers from '../../platform/database/queries/servers.ts';
import { newId } from '../../platform/ids.ts';
import { conflict, found } from '../base/refusals.ts';
import { namesOfSecrets } from '../base/server-secrets.ts';
import { audit } from '../context/audit.ts';
import type { ProjectContext } from '../context/context.ts';
import { saveUnderFreeName } from '../servers/rows.ts';
import { checkAddress, checkTransport, refuseManaged, requireCommandAdmin } from '../servers/rules.ts';
import { writeServer } from '../servers/update.ts';

/** A URL, or a command with its arguments. */
export type ServerAddress = { url: string } | { command: string[] };

export interface Installed {
  serverId: string;
  serverName: string;
  outcome: 'created' | 'reconnected';
}

/** A server to install. */
export interface Wanted {
  origin: { kind: 'registry' | 'catalog'; id: string };
  name: string;
  place: ServerAddress;
  endpointKind: string;
  settings?: Partial<servers.ServerSettings>;
  /**
   * Whether the origin may also be at this address. If so, moving a server there is a choice for a person, not
   * automatic.
   */
  alsoAt: (url: string) => boolean;
}

/**
 * Saves a server for a card or directory entry, or returns the one already saved for it. Installs in a project are
 * serialized, so that two concurrent ones create one server. The caller's transaction must hold the project.
 */
export async function install(context: ProjectContext, db: Db, wanted: Wanted): Promise<Installed> {
  const transportType = 'url' in wanted.place ? 'http' : 'stdio';
  await checkTransport({ ...context, db }, transportType);
  if (transportType === 'stdio') requireCommandAdmin(context);
  if ('url' in wanted.place) await checkAddress({ ...context, db }, wanted.place.url, 'endpointUrl');
  const projectId = context.project.id;
  await db.one(projects.lockForUpdate, { id: projectId });
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

/** Moves the saved server to the new address of its origin. Refuses if the address was edited since. */
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
      'Already installed with a different URL or command. Edit or delete the saved server',
      'ALREADY_CONNECTED',
      { ...(before.url !== null && { connectedUrl: before.url }), serverId },
    );
  let server = before;
  if (now !== wantedAt) {
    // Same rule as for other edits of a command.
    if (before.transportType === 'stdio') requireCommandAdmin(context);
    const { command: _, args: __, ...kept } = before.settings;
    const after = { ...before, ...fieldsOf(place, { ...kept, ...settings }) };
    ({ server } = await writeServer(context, db, before, after, {}));
  }
  await db.run(connections.renew, { id, endpointUrl: server.url, place: wantedAt, endpointKind });
  return { serverId, serverName: server.name, outcome: 'reconnected' };
}

function fieldsOf(
  place: ServerAddress,
  settings: servers.ServerSettings,
): Pick<servers.ServerRow, 'transportType' | 'url' | 'settings'> {
  if ('url' in place) return { transportType: 'http', url: place.url, settings };
  const [command = '', ...args] = place.command;
  return { transportType: 'stdio', url: null, settings: { ...settings, command, args } };
}

function textOf(place: ServerAddress): string {
  return 'url' in place ? place.url : JSON.stringify(place.command);
}

function placeOf({ transportType, url, settings }: servers.ServerRow): string {
  if (transportType === 'http') return url ?? '';
  return JSON.stringify([settings.command, ...(settings.args ?? [])]);
}
