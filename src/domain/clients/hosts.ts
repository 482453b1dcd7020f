import type { Db } from '../../platform/database/database.ts';
import * as clients from '../../platform/database/queries/clients.ts';
import { found } from '../base/refusals.ts';
import type { Verb } from '../context/verb.ts';
import type { ClientConfig } from './config.ts';
import { createClient, duplicateClient } from './create.ts';
import { removeClient } from './delete.ts';
import { editClient } from './edit.ts';
import { presentClient, presentRow } from './present.ts';
import { pageOfClients } from './read.ts';

/** Deprecated operations on clients: by ID only, and without optimistic concurrency control. */

type Detail = Awaited<ReturnType<typeof presentClient>>;

function hostOf({ id, name, config }: Detail): Pick<Detail, 'id' | 'name' | 'config'> {
  return { id, name, config };
}

async function clientWithId(db: Db, projectId: string, id: string): Promise<clients.ClientRow> {
  return found(await db.row(clients.find, { projectId, id }), 'client');
}

export const listHosts: Verb<'listHosts'> = (context, page) =>
  pageOfClients(context, 'hosts', false, page, (row) => {
    const { id, name, configId, modelId, serverCount, createdAt, updatedAt } = presentRow(row);
    return { id, name, hostConfigId: configId, modelId, serverCount, createdAt, updatedAt };
  });

export const createHost: Verb<'createHost'> = async (context, input) =>
  hostOf(await createClient(context, input));

export const getHost: Verb<'getHost'> = async ({ db, project }, { hostId }) =>
  hostOf(await presentClient(db, await clientWithId(db, project.id, hostId)));

export const updateHost: Verb<'updateHost'> = async (context, { hostId, body }) => {
  const { name, config } = body;
  const change = { name, ...(config && { config: () => config as ClientConfig }) };
  return hostOf(await editClient(context, (db) => clientWithId(db, context.project.id, hostId), change, {}));
};

export const setHostServers: Verb<'setHostServers'> = async (context, { hostId, body }) => {
  const { serverIds, optionalServerIds = [] } = body;
  const change = { config: (current: ClientConfig) => ({ ...current, serverIds, optionalServerIds }) };
  return hostOf(await editClient(context, (db) => clientWithId(db, context.project.id, hostId), change, {}));
};

export const duplicateHost: Verb<'duplicateHost'> = async (context, { projectId, hostId, body }) => {
  await clientWithId(context.db, context.project.id, hostId);
  return hostOf(await duplicateClient(context, { projectId, client: hostId, body }));
};

export const deleteHost: Verb<'deleteHost'> = async (context, { hostId }) => {
  await clientWithId(context.db, context.project.id, hostId);
  return removeClient(context, hostId);
};
