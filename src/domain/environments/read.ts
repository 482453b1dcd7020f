import * as environments from '../../platform/database/queries/environments.ts';
import { pageById } from '../base/paging.ts';
import { found } from '../base/refusals.ts';
import type { Verb } from '../context/verb.ts';
import { presentEnvironment } from './present.ts';

export const listEnvironments: Verb<'listEnvironments'> = (context, { includeArchived, ...page }) => {
  const { db, project } = context;
  const withArchived = includeArchived === 'true';
  const list = withArchived ? environments.listNamed : environments.listLive;
  const fetch = (after: string, most: number) => db.rows(list, { projectId: project.id, after, most });
  return pageById(context, ['environments', project.id, withArchived], page, fetch, presentEnvironment);
};

export const getEnvironment: Verb<'getEnvironment'> = async ({ db, project }, { environmentId: id }) => {
  const row = await db.row(environments.find, { projectId: project.id, id });
  return presentEnvironment(found(row, 'environment'));
};

export const getEnvironmentCapabilities: Verb<'getEnvironmentCapabilities'> = () => ({
  modelOverrides: true,
  modelMatrix: false,
  secretGrants: true,
});
