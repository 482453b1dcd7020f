import { listServerGroupRows, serversAmong } from '../../platform/database/queries/server-groups.ts';
import type { Verb } from '../verb.ts';
import { namesOf, presentServerGroup } from './present.ts';

export const listServerGroups: Verb<'listServerGroups'> = async ({ db, project }) => {
  const rows = await listServerGroupRows(db, project.id);
  const ids = [...new Set(rows.flatMap(({ serverIds }) => serverIds))];
  const names = namesOf(await serversAmong(db, project.id, ids));
  return { items: rows.map((row) => presentServerGroup(row, names)) };
};
