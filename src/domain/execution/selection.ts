import type { Db } from '../../platform/database/database.ts';
import * as clients from '../../platform/database/queries/clients.ts';
import * as servers from '../../platform/database/queries/servers.ts';
import { conflict, invalid, invalidBecause } from '../base/refusals.ts';
import { type ClientConfig, orderedConfig, serversIn } from '../clients/config.ts';
import type { ProjectContext } from '../context/context.ts';
import { type ResolvedComposition, resolveComposition } from '../environments/resolve-composition.ts';
import { serversCalled } from '../servers/called.ts';

/** The requested target of a run. */
export interface Wanted {
  environmentId?: string | undefined;
  serverIds?: readonly string[] | undefined;
  namedHostId?: string | undefined;
  ephemeralEnvironment?: boolean | undefined;
}

/** The targets saved with a suite. */
export interface SavedTargets {
  environmentIds: readonly string[];
  serverIds: string[];
  /** Clients, each with servers that replace those of the suite. */
  hosts: readonly { id: string; servers?: string[] }[];
}

/** A resolved target: an environment, or servers with an optional client. */
export interface Selection {
  servers: { id: string; name: string }[];
  composition: ResolvedComposition | undefined;
  client: { id: string; name: string; configId: string; config: ClientConfig } | undefined;
}

/** Resolves the target by the rules of the API, before anything is written or connected. */
export async function selectTarget(
  context: ProjectContext,
  suite: SavedTargets,
  wanted: Wanted,
): Promise<Selection> {
  const { environmentIds } = suite;
  const { environmentId, serverIds, namedHostId } = wanted;
  if (serverIds && environmentIds.length > 0)
    throw invalidBecause(
      'serverIds: The servers of this suite come from its environment. Omit serverIds',
      'ENVIRONMENT_SERVERS_NOT_OVERRIDABLE',
    );
  if (serverIds && environmentId !== undefined)
    throw invalid('serverIds: Cannot be combined with environmentId. Send only one');
  if (namedHostId !== undefined && (environmentId !== undefined || environmentIds.length > 0))
    throw invalid(
      'namedHostId: Cannot be combined with an environment, which has its own client. Omit namedHostId',
    );
  const chosen = chosenEnvironment(suite, wanted);
  if (chosen !== undefined) return withEnvironment(context, chosen);
  return withServers(context, suite, serverIds, namedHostId);
}

function chosenEnvironment({ environmentIds }: SavedTargets, wanted: Wanted): string | undefined {
  const { environmentId, ephemeralEnvironment } = wanted;
  if (environmentId !== undefined) {
    if (!environmentIds.includes(environmentId) && !ephemeralEnvironment)
      throw invalidBecause(
        'environmentId: Not attached to this suite. Attach it, or send ephemeralEnvironment: true',
        'ENVIRONMENT_NOT_ATTACHED',
        { environmentIds },
      );
    return environmentId;
  }
  if (environmentIds.length > 1)
    throw invalidBecause(
      'environmentId: Required, because several environments are attached to this suite',
      'ENVIRONMENT_REQUIRED',
      { environmentIds },
    );
  return environmentIds[0];
}

async function withEnvironment(context: ProjectContext, environmentId: string): Promise<Selection> {
  const composition = await resolveComposition(context.db, {
    projectId: context.project.id,
    environmentId,
    startedBy: context.actor.user.id,
  });
  return { servers: composition.servers, composition, client: composition.client };
}

async function withServers(
  { db, project }: ProjectContext,
  suite: SavedTargets,
  serverIds: readonly string[] | undefined,
  namedHostId: string | undefined,
): Promise<Selection> {
  const projectId = project.id;
  const host = hostOf(suite, namedHostId);
  const client = host && (await clientOf(db, projectId, host.id));
  const own = host?.servers ?? (client && suite.serverIds.length === 0 ? serversOf(client) : undefined);
  const asked = serverIds && (await serversCalled(db, projectId, serverIds)).map(({ id }) => id);
  const ids = asked ?? own ?? suite.serverIds;
  if (ids.length === 0)
    throw invalidBecause(
      'The suite has no servers. Send serverIds, or add servers to the suite',
      'NO_SAVED_SERVER_SELECTION',
    );
  const there = asked ?? (await db.rows(servers.named, { projectId, ids }));
  if (there.length === 0)
    throw invalidBecause(
      'All servers of the suite were deleted. Send serverIds, or add servers to the suite',
      'NO_SAVED_SERVER_SELECTION',
      { deletedServerIds: ids },
    );
  const usable = await db.rows(servers.enabled, { projectId, ids: [...new Set(ids)] });
  for (const id of ids)
    if (!usable.some((server) => server.id === id)) await refuseMissing(db, projectId, id);
  return { servers: usable, composition: undefined, client };
}

/** The named client, otherwise the suite's only one. */
function hostOf(
  { hosts }: SavedTargets,
  namedHostId: string | undefined,
): SavedTargets['hosts'][number] | undefined {
  if (namedHostId === undefined) return hosts.length === 1 ? hosts[0] : undefined;
  const host = hosts.find(({ id }) => id === namedHostId);
  if (!host)
    throw invalidBecause(
      'namedHostId: Not a client of this suite. Add it to the hosts of the suite',
      'HOST_NOT_ATTACHED',
      {
        hostIds: hosts.map(({ id }) => id),
      },
    );
  return host;
}

async function clientOf(db: Db, projectId: string, id: string): Promise<NonNullable<Selection['client']>> {
  const client = await db.row(clients.find, { projectId, id });
  if (!client)
    throw conflict(`The client ${id} of the suite was deleted. Edit the hosts of the suite`, 'HOST_MISSING', {
      hostId: id,
    });
  const { name, configId, config } = client;
  return { id, name, configId, config: orderedConfig(config) };
}

function serversOf({ config }: NonNullable<Selection['client']>): string[] | undefined {
  const { required, optional } = serversIn(config);
  return required.length + optional.length > 0 ? [...required, ...optional] : undefined;
}

async function refuseMissing(db: Db, projectId: string, id: string): Promise<never> {
  const there = await db.row(servers.find, { projectId, id });
  if (there)
    throw conflict(
      `The server ${JSON.stringify(there.name)} is disabled. Enable it first`,
      'SERVER_DISABLED',
      {
        serverId: id,
      },
    );
  throw conflict(
    `A server of the suite (${id}) was deleted. Edit the servers of the suite, or send serverIds`,
    'SERVER_GONE',
    { serverId: id },
  );
}
