import { listServerGroupRows, serversAmong } from '../../platform/database/queries/server-groups.ts';
import { pageById } from '../paging.ts';
import type { Verb } from '../verb.ts';
import { namesOf, presentServerGroup } from './present.ts';

export const listServerGroups: Verb<'listServerGroups'> = (context, page) => {
  const { db, project } = context;
  const fetch = async (after: string, most: number) => {
    const groups = await listServerGroupRows(db, project.id, after, most);
    const ids = [...new Set(groups.flatMap(({ serverIds }) => serverIds))];
    const names = namesOf(await serversAmong(db, project.id, ids));
    return groups.map((group) => ({ id: group.id, group, names }));
  };
  return pageById(context, ['server-groups', project.id], page, fetch, ({ group, names }) =>
    presentServerGroup(group, names),
  );
};
