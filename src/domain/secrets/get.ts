import * as secrets from '../../platform/database/queries/secrets.ts';
import { found } from '../refusals.ts';
import type { Verb } from '../verb.ts';
import { presentSecret } from './present.ts';

/** Somebody else's personal secret is none. */
export const getSecret: Verb<'getSecret'> = async ({ db, project, actor }, { secretId: id }) => {
  const viewer = { projectId: project.id, userId: actor.user.id };
  return presentSecret(found(await db.row(secrets.find, { ...viewer, id }), 'secret'));
};
