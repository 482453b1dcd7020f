import { Refusal } from '../../../contract/errors.ts';
import { type ModelRoute, resolveModel } from '../../../models/resolve.ts';
import type { Db } from '../../../platform/database/database.ts';
import * as clients from '../../../platform/database/queries/clients.ts';
import type { JourneyRow } from '../../../platform/database/queries/journeys.ts';
import * as groups from '../../../platform/database/queries/server-groups.ts';
import * as servers from '../../../platform/database/queries/servers.ts';
import * as swarms from '../../../platform/database/queries/swarms.ts';
import { conflict, invalidBecause } from '../../base/refusals.ts';
import { refuseHarness } from '../../chat-sessions/target.ts';
import { orderedConfig, serversIn } from '../../clients/config.ts';
import type { ProjectContext } from '../../context/context.ts';
import { resolveComposition } from '../../environments/resolve-composition.ts';
import { placeOf } from '../../execution/place.ts';
import { type Selection } from '../../execution/selection.ts';
import type { JourneyTarget } from '../snapshot.ts';

/** A resolved target, with the model that answers. */
export interface ChosenTarget {
  selection: Selection & { client: NonNullable<Selection['client']> };
  route: ModelRoute;
}

/**
 * In order of precedence: environments of the launch, environments of the journey, clients of the journey,
 * environments of its swarm.
 */
export async function chooseTargets(
  context: ProjectContext,
  journey: JourneyRow,
  asked: readonly string[] | undefined,
): Promise<ChosenTarget[]> {
  const own = asked ?? journey.environmentIds;
  const inherited = own.length === 0 && journey.hostIds.length === 0 ? await ofSwarm(context, journey) : [];
  const environmentIds = own.length > 0 ? own : inherited;
  const chosen: ChosenTarget[] = [];
  for (const environmentId of environmentIds) chosen.push(await environmentTarget(context, environmentId));
  if (environmentIds.length === 0)
    for (const hostId of journey.hostIds) chosen.push(await clientTarget(context, journey, hostId));
  if (chosen.length === 0)
    throw invalidBecause(
      'The journey has no target. Give it environmentIds or hostIds, or send environmentIds',
      'NO_TARGETS',
    );
  return chosen;
}

async function ofSwarm({ db, project }: ProjectContext, { swarmId }: JourneyRow): Promise<string[]> {
  const swarm =
    swarmId === null ? undefined : await db.row(swarms.find, { projectId: project.id, id: swarmId });
  return swarm?.environmentIds ?? [];
}

async function environmentTarget(context: ProjectContext, environmentId: string): Promise<ChosenTarget> {
  const composition = await resolveComposition(context.db, {
    projectId: context.project.id,
    environmentId,
    startedBy: context.actor.user.id,
  });
  const { client, model } = composition;
  refuseHarness(client);
  return {
    selection: { servers: composition.servers, composition, client },
    route: routeOf(context, model.id, composition.environment.name ?? environmentId),
  };
}

async function clientTarget(
  context: ProjectContext,
  journey: JourneyRow,
  hostId: string,
): Promise<ChosenTarget> {
  const { db, project } = context;
  const projectId = project.id;
  const row = await db.row(clients.find, { projectId, id: hostId });
  if (!row)
    throw conflict('A client of the journey was deleted. Edit hostIds of the journey', 'HOST_MISSING', {
      hostId,
    });
  const client = { id: hostId, name: row.name, configId: row.configId, config: orderedConfig(row.config) };
  refuseHarness(client);
  const { required, optional } = serversIn(client.config);
  const ids = (await grouped(db, journey)) ?? [...new Set([...required, ...optional])];
  const usable = ids.length === 0 ? [] : await db.rows(servers.enabled, { projectId, ids });
  const missing = ids.find((id) => !usable.some((server) => server.id === id));
  if (missing !== undefined)
    throw conflict(`The server ${missing} is disabled, or was deleted`, 'SERVER_UNAVAILABLE', {
      serverId: missing,
    });
  const modelId = client.config['modelId'];
  return {
    selection: { servers: usable, composition: undefined, client },
    route: routeOf(context, typeof modelId === 'string' ? modelId : '', client.name),
  };
}

async function grouped(db: Db, { projectId, serverGroupId }: JourneyRow): Promise<string[] | undefined> {
  if (serverGroupId === null) return undefined;
  const group = await db.row(groups.find, { projectId, id: serverGroupId });
  if (!group)
    throw conflict('The server group of the journey was deleted. Choose another one', 'SERVER_GROUP_MISSING');
  return group.serverIds;
}

function routeOf({ models }: ProjectContext, model: string, where: string): ModelRoute {
  const { route, problem } = resolveModel(models, { model });
  if (route) return route;
  const { hostedModels, message } = problem;
  throw new Refusal('VALIDATION_ERROR', `The model of ${JSON.stringify(where)}: ${message}`, {
    details: { reason: 'MODEL_UNAVAILABLE', model, hostedModels },
  });
}

/** Freezes a target for the snapshot. */
export async function targetOf(
  context: ProjectContext,
  db: Db,
  { selection, route }: ChosenTarget,
): Promise<JourneyTarget> {
  const { composition, client } = selection;
  const environment = composition?.environment;
  return {
    targetId: environment?.id ?? client.id,
    kind: environment ? 'environment' : 'host',
    hostId: client.id,
    hostName: client.name,
    ...(environment && { environmentName: environment.name ?? environment.id }),
    model: { model: route.id, provider: route.provider },
    place: await placeOf(context, db, selection),
  };
}
