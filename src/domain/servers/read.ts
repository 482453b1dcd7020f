import * as servers from '../../platform/database/queries/servers.ts';
import { pageById } from '../base/paging.ts';
import type { Verb } from '../context/verb.ts';
import { presentServer } from './present.ts';

export const listProjectServers: Verb<'listProjectServers'> = (context, page) => {
  const { db, project } = context;
  const fetch = (after: string, most: number) =>
    db.rows(servers.list, { projectId: project.id, after, most });
  return pageById(context, ['servers', project.id], page, fetch, presentServer);
};

export const getProjectServer: Verb<'getProjectServer'> = ({ server }) => presentServer(server);
