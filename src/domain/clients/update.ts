import type { Verb } from '../context/verb.ts';
import type { ClientConfig } from './config.ts';
import { editClient } from './edit.ts';
import { clientCalled } from './find.ts';

export const updateClient: Verb<'updateClient'> = (context, { client, body }) => {
  const { name, config, set, expectedName, expectedConfigId, expectedImpact } = body;
  const change = config
    ? () => config as ClientConfig
    : set
      ? (current: ClientConfig) => ({ ...current, ...(set as ClientConfig) })
      : undefined;
  return editClient(
    context,
    (db) => clientCalled(db, context.project.id, client, true),
    { name, ...(change && { config: change }) },
    { name: expectedName, configId: expectedConfigId, impact: expectedImpact },
  );
};

export const setClientServers: Verb<'setClientServers'> = (context, { client, body }) => {
  const { serverIds, optionalServerIds = [], expectedConfigId, expectedImpact } = body;
  return editClient(
    context,
    (db) => clientCalled(db, context.project.id, client, true),
    { config: (current) => ({ ...current, serverIds, optionalServerIds }) },
    { configId: expectedConfigId, impact: expectedImpact },
  );
};
