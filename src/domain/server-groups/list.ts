import * as groups from '../../platform/database/queries/server-groups.ts';
import { pageById } from '../base/paging.ts';
import type { Verb } from '../context/verb.ts';
import { namesOf, presentServerGroup } from './present.ts';

export const listServerGroups: Verb<'listServerGroups'> = (context, page) => {
  const { db, project } = context;
  const projectId = project.id;
  const fetch = async (after: string, most: number) => {
    const rows = await db.rows(groups.list, { projectId, after, most });
    const ids = [...new Set(rows.flatMap(({ serverIds }) => serverIds))];
    const names = namesOf(await db.rows(groups.servers, { projectId, ids }));
    return rows.map((group) => ({ id: group.id, group, names }));
  };
  return pageById(context, ['server-groups', projectId], page, fetch, ({ group, names }) =>
    presentServerGroup(group, names),
  );
};
