import * as secrets from '../../platform/database/queries/secrets.ts';
import { pageById } from '../base/paging.ts';
import type { Verb } from '../context/verb.ts';
import { presentSecret } from './present.ts';

export const listSecrets: Verb<'listSecrets'> = (context, page) => {
  const { db, project, actor } = context;
  const viewer = { projectId: project.id, userId: actor.user.id };
  const fetch = (after: string, most: number) => db.rows(secrets.list, { ...viewer, after, most });
  return pageById(context, ['secrets', project.id, actor.user.id], page, fetch, presentSecret);
};
