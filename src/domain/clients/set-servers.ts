import type { Verb } from '../context/verb.ts';
import { editClient } from './edit.ts';
import { clientCalled } from './find.ts';

export const setClientServers: Verb<'setClientServers'> = (context, { client, body }) => {
  const { serverIds, optionalServerIds = [], expectedConfigId, expectedImpact } = body;
  return editClient(
    context,
    (db) => clientCalled(db, context.project.id, client, true),
    { config: (current) => ({ ...current, serverIds, optionalServerIds }) },
    { configId: expectedConfigId, impact: expectedImpact },
  );
};
