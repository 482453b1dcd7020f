import * as projects from '../../platform/database/queries/projects.ts';
import { viewerOf } from '../access.ts';
import { pageById } from '../paging.ts';
import type { Verb } from '../verb.ts';
import { presentProject } from './present.ts';

export const listProjects: Verb<'listProjects'> = async (context, input) => {
  const { organization, user } = context.actor;
  // A key knows one organization; any other has no projects as far as it is concerned.
  if (input.organizationId !== undefined && input.organizationId !== organization.id) return { items: [] };
  const viewer = viewerOf(context);
  const scope = ['projects', organization.id, user.id];
  const fetch = (after: string, most: number) => context.db.rows(projects.list, { ...viewer, after, most });
  return pageById(context, scope, input, fetch, presentProject);
};
