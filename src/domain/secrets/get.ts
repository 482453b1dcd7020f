import * as secrets from '../../platform/database/queries/secrets.ts';
import { found } from '../base/refusals.ts';
import type { Verb } from '../context/verb.ts';
import { presentSecret } from './present.ts';

/** A personal secret is visible to its owner only; others get 404. */
export const getSecret: Verb<'getSecret'> = async ({ db, project, actor }, { secretId: id }) => {
  const viewer = { projectId: project.id, userId: actor.user.id };
  return presentSecret(found(await db.row(secrets.find, { ...viewer, id }), 'secret'));
};
