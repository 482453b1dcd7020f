import type { Verb } from '../verb.ts';
import type { Config } from './config.ts';
import { editClient } from './edit.ts';
import { clientCalled } from './find.ts';

export const updateClient: Verb<'updateClient'> = (context, { client, body }) => {
  const { name, config, set, expectedName, expectedConfigId, expectedImpact } = body;
  const change = config
    ? () => config as Config
    : set
      ? (current: Config) => ({ ...current, ...(set as Config) })
      : undefined;
  return editClient(
    context,
    (db) => clientCalled(db, context.project.id, client, true),
    { name, ...(change && { config: change }) },
    { name: expectedName, configId: expectedConfigId, impact: expectedImpact },
  );
};
