import type { Verb } from '../verbs.ts';
import { presentServer } from './present.ts';
import { noSuchServer } from './rules.ts';

export const getProjectServer: Verb<'getProjectServer'> = (context, { serverId }) => {
  const { server } = context.actor.path;
  if (server?.id !== serverId) throw noSuchServer();
  return presentServer(server);
};
