import type { Operations } from '../../contract/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import type { Db } from '../../platform/database/database.ts';
import * as clients from '../../platform/database/queries/clients.ts';
import * as journeys from '../../platform/database/queries/journeys.ts';
import * as studies from '../../platform/database/queries/studies.ts';
import { found } from '../base/refusals.ts';
import { orderedConfig, serversIn } from './config.ts';

type Row = OutputOf<Operations['listClients']>['items'][number];
type Detail = OutputOf<Operations['getClient']>;
export type Impact = Detail['impact'];

export function presentRow(client: clients.ClientRow): Row {
  const { id, name, configId, config, createdAt, updatedAt } = client;
  const { required, optional } = serversIn(config);
  return {
    id,
    name,
    configId,
    modelId: String(config['modelId']),
    serverCount: required.length + optional.length,
    ownerScope: null,
    hasComputer: config['computer'] !== undefined,
    createdAt,
    updatedAt,
  };
}

/** Counts of the objects that an edit of the configuration affects. */
export async function impactOf(db: Db, client: Pick<clients.ClientRow, 'projectId' | 'id'>): Promise<Impact> {
  const environments = await db.rows(clients.environments, client);
  const { projectId, id: hostId } = client;
  const { count } = await db.one(journeys.countWithHost, { projectId, hostId });
  return {
    liveEnvironmentCount: environments.length,
    scenarioAttachmentCount: (await db.one(studies.countOfClient, { projectId, hostId })).count,
    activeLegacyJourneyCount: count,
  };
}

export async function presentClient(db: Db, client: clients.ClientRow): Promise<Detail> {
  const { id, name, configId, config, versionNumber, createdAt, updatedAt } = client;
  return {
    id,
    name,
    config: orderedConfig(config) as Detail['config'],
    configId,
    versionNumber,
    ownerScope: null,
    hasComputer: config['computer'] !== undefined,
    createdAt,
    updatedAt,
    impact: await impactOf(db, client),
  };
}

export async function presentClientById(db: Db, projectId: string, id: string): Promise<Detail> {
  return presentClient(db, found(await db.row(clients.find, { projectId, id }), 'client'));
}
