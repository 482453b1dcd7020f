import * as environments from '../../platform/database/queries/environments.ts';
import { pageById } from '../base/paging.ts';
import type { Verb } from '../context/verb.ts';
import { presentEnvironment } from './present.ts';

export const listEnvironments: Verb<'listEnvironments'> = (context, { includeArchived, ...page }) => {
  const { db, project } = context;
  const withArchived = includeArchived === 'true';
  const list = withArchived ? environments.listNamed : environments.listLive;
  const fetch = (after: string, most: number) => db.rows(list, { projectId: project.id, after, most });
  return pageById(context, ['environments', project.id, withArchived], page, fetch, presentEnvironment);
};
