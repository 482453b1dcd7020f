import { findServer } from '../../platform/database/queries/servers.ts';
import type { Verb } from '../verbs.ts';
import { presentServer } from './present.ts';
import { noSuchServer } from './rules.ts';

export const getProjectServer: Verb<'getProjectServer'> = async (context, { serverId }) => {
  const server = await findServer(context.db, context.project.id, serverId);
  if (!server) throw noSuchServer();
  return presentServer(server);
};
