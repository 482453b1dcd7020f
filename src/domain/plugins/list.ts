import * as plugins from '../../platform/database/queries/plugins.ts';
import { pageById } from '../base/paging.ts';
import type { Verb } from '../context/verb.ts';
import { presentPlugin } from './present.ts';

export const listProjectPlugins: Verb<'listProjectPlugins'> = (context, page) => {
  const { db, project } = context;
  const fetch = (after: string, most: number) =>
    db.rows(plugins.list, { projectId: project.id, after, most });
  return pageById(context, ['plugins', project.id], page, fetch, presentPlugin);
};
