import * as secrets from '../../platform/database/queries/secrets.ts';
import { pageById } from '../base/paging.ts';
import { found } from '../base/refusals.ts';
import type { Verb } from '../context/verb.ts';
import { presentSecret } from './present.ts';

export const listSecrets: Verb<'listSecrets'> = (context, page) => {
  const { db, project, actor } = context;
  const viewer = { projectId: project.id, userId: actor.user.id };
  const fetch = (after: string, most: number) => db.rows(secrets.list, { ...viewer, after, most });
  return pageById(context, ['secrets', project.id, actor.user.id], page, fetch, presentSecret);
};

/** A personal secret is visible to its owner only; others get 404. */
export const getSecret: Verb<'getSecret'> = async ({ db, project, actor }, { secretId: id }) => {
  const viewer = { projectId: project.id, userId: actor.user.id };
  return presentSecret(found(await db.row(secrets.find, { ...viewer, id }), 'secret'));
};
