import * as projects from '../../platform/database/queries/projects.ts';
import { pageById } from '../base/paging.ts';
import { viewerOf } from '../context/access.ts';
import type { Verb } from '../context/verb.ts';
import { presentProject } from './present.ts';

export const listProjects: Verb<'listProjects'> = async (context, input) => {
  const { organization, user } = context.actor;
  // An API key belongs to one organization and sees no projects of another.
  if (input.organizationId !== undefined && input.organizationId !== organization.id) return { items: [] };
  const viewer = viewerOf(context);
  const scope = ['projects', organization.id, user.id];
  const fetch = (after: string, most: number) => context.db.rows(projects.list, { ...viewer, after, most });
  return pageById(context, scope, input, fetch, presentProject);
};
