import { listSecretRows } from '../../platform/database/queries/secrets.ts';
import { pageById } from '../paging.ts';
import type { Verb } from '../verb.ts';
import { presentSecret } from './present.ts';

export const listSecrets: Verb<'listSecrets'> = (context, page) => {
  const { db, project, actor } = context;
  const fetch = (after: string, most: number) => listSecretRows(db, project.id, actor.user.id, after, most);
  return pageById(context, ['secrets', project.id, actor.user.id], page, fetch, presentSecret);
};
