import type { BrowserPolicy } from '../../browser/policy.ts';
import { Refusal } from '../../contract/errors.ts';
import * as clients from '../../platform/database/queries/clients.ts';
import * as servers from '../../platform/database/queries/servers.ts';
import type { OfferedSkill } from '../../trials/skills.ts';
import type { TrialServer } from '../../trials/tools.ts';
import { conflict, invalidBecause } from '../base/refusals.ts';
import { browserPolicyOf, type ClientConfig, orderedConfig, serversIn } from '../clients/config.ts';
import { connectionOf } from '../clients/connection.ts';
import type { ProjectContext } from '../context/context.ts';
import { resolveComposition } from '../environments/resolve-composition.ts';
import { openServer } from '../execution/open-server.ts';
import { skillsOf } from '../execution/place.ts';
import { secretsOfPlace } from '../execution/place-secrets.ts';
import { type Selection } from '../execution/selection.ts';
import { requireReachable } from '../live/reach.ts';
import { translated } from '../live/refusal.ts';
import { declaringWidgets } from '../server-widgets/support.ts';
import type { Sent, SessionConfig } from './config.ts';

/** Servers, tools and client settings of a turn. */
export interface TurnTarget {
  servers: TrialServer[];
  skills: readonly OfferedSkill[];
  systemPrompt: string | undefined;
  temperature: number | undefined;
  hostId: string | undefined;
  clientPolicy: BrowserPolicy | undefined;
}

type Client = NonNullable<Selection['client']>;

/** Connects to the session's servers with their current settings. Refuses the turn if one is unreachable. */
export async function targetOf(
  context: ProjectContext,
  config: SessionConfig,
  sent: Sent,
  signal: AbortSignal,
  forVisitor = false,
): Promise<TurnTarget> {
  const { composition, client, serverIds } = await selected(context, config, sent);
  if (client) refuseHarness(client);
  const skills = await skillsOf(context, context.db, { composition });
  const allowed = allowedServers(serverIds, sent);
  const opened = await openAll(context, { composition, client }, allowed, signal, forVisitor);
  const ownPrompt = client?.config['systemPrompt'];
  const ownTemperature = client?.config['temperature'];
  return {
    servers: opened,
    skills,
    systemPrompt:
      config.systemPrompt ?? (typeof ownPrompt === 'string' && ownPrompt !== '' ? ownPrompt : undefined),
    temperature: config.temperature ?? (typeof ownTemperature === 'number' ? ownTemperature : undefined),
    hostId: client?.id,
    clientPolicy: client && browserPolicyOf(client.config),
  };
}

interface Selected extends Pick<Selection, 'composition' | 'client'> {
  serverIds: string[];
}

async function selected(context: ProjectContext, config: SessionConfig, sent: Sent): Promise<Selected> {
  const { db, project, actor } = context;
  const { environmentId } = config;
  if (environmentId !== undefined) {
    const wanted = { projectId: project.id, environmentId, startedBy: actor.user.id };
    const composition = await resolveComposition(db, wanted);
    const { client, servers: usable } = composition;
    if (sent.hostId !== undefined && sent.hostId !== client.id)
      throw invalidBecause('hostId: The environment has another client. Omit it', 'HOST_TARGET_CONFLICT', {
        hostId: client.id,
      });
    return { composition, client, serverIds: usable.map(({ id }) => id) };
  }
  const client = sent.hostId === undefined ? undefined : await clientOf(context, sent.hostId);
  if (config.hostOnly && !client)
    throw invalidBecause(
      'hostId: Required, because this session uses the servers of a client',
      'HOST_TARGET_REQUIRED',
    );
  const ids = config.serverIds ?? (client ? ownServers(client) : []);
  if (ids.length === 0) return { composition: undefined, client, serverIds: [] };
  const usable = await db.rows(servers.enabled, { projectId: project.id, ids });
  const missing = ids.find((id) => !usable.some((server) => server.id === id));
  if (missing !== undefined)
    throw conflict(`The server ${missing} is disabled, or not in this project`, 'SERVER_UNAVAILABLE', {
      serverId: missing,
    });
  return { composition: undefined, client, serverIds: ids };
}

async function clientOf({ db, project }: ProjectContext, id: string): Promise<Client> {
  const client = await db.row(clients.find, { projectId: project.id, id });
  if (!client) throw new Refusal('NOT_FOUND', 'No such client in this project');
  const { name, configId, config } = client;
  return { id, name, configId, config: orderedConfig(config) };
}

function ownServers({ config }: { config: ClientConfig }): string[] {
  const { required, optional } = serversIn(config);
  return [...new Set([...required, ...optional])];
}

/**
 * A harness is a third-party program that Drydock does not run; refusing avoids presenting other results as its own.
 */
export function refuseHarness({ config }: Client): void {
  const kind = config['harness'];
  if (typeof kind !== 'string') return;
  throw new Refusal(
    'FEATURE_NOT_SUPPORTED',
    `The client runs as ${kind}, which this service does not run. Use a client without a harness`,
    { details: { reason: 'HARNESS_UNAVAILABLE', kind } },
  );
}

function allowedServers(serverIds: string[], { allowedServerIds: allowed }: Sent): string[] {
  if (!allowed) return serverIds;
  const other = allowed.find((id) => !serverIds.includes(id));
  if (other !== undefined)
    throw new Refusal('VALIDATION_ERROR', `allowedServerIds: ${other} is not a server of this session`);
  return serverIds.filter((id) => allowed.includes(id));
}

/**
 * `forVisitor` enables widgets and hides error causes. Only clients that show widgets may announce UI support to
 * servers; a configured client declares its capabilities itself.
 */
export async function openAll(
  context: ProjectContext,
  { composition, client }: Pick<Selection, 'composition' | 'client'>,
  serverIds: string[],
  signal: AbortSignal,
  forVisitor = false,
): Promise<TrialServer[]> {
  const { project, actor } = context;
  const connection = connectionOf(client?.config ?? {});
  const { secretsIncomplete, ...granted } = await secretsOfPlace(
    context,
    { projectId: project.id, userId: actor.user.id },
    { secretIds: composition?.secretIds ?? [], connection, environment: composition?.environment ?? null },
  );
  if (secretsIncomplete)
    throw conflict(
      "A secret that the environment grants was deleted or is no longer shared. Edit the environment's secretSelection",
      'ENV_SECRET_UNAVAILABLE',
    );
  const caller = { organizationId: actor.organization.id, connection, ...granted, apiKeys: {} };
  return Promise.all(
    serverIds.map(async (id) => {
      const row = await context.db.row(servers.findLive, { projectId: project.id, id });
      if (!row) throw conflict('A server of the session was deleted', 'SERVER_UNAVAILABLE', { serverId: id });
      await requireReachable(context, row);
      try {
        const declares = forVisitor && !connection.clientCapabilities;
        const clientCapabilities = declaringWidgets(row.settings.clientCapabilities);
        const shown = declares ? { ...connection, clientCapabilities } : connection;
        return await openServer(context, { ...caller, connection: shown }, row, {
          signal,
          hidesCauses: forVisitor,
        });
      } catch (error) {
        throw translated(error, row);
      }
    }),
  );
}
