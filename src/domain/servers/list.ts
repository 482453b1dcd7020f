import { listServerRows } from '../../platform/database/queries/servers.ts';
import { pageById } from '../paging.ts';
import type { Verb } from '../verb.ts';
import { presentServer } from './present.ts';

export const listProjectServers: Verb<'listProjectServers'> = (context, input) => {
  const { id } = context.project;
  const fetch = (after: string, most: number) => listServerRows(context.db, id, after, most);
  return pageById(context, ['servers', id], input, fetch, presentServer);
};
