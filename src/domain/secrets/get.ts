import { findSecret } from '../../platform/database/queries/secrets.ts';
import type { Verb } from '../verb.ts';
import { presentSecret } from './present.ts';
import { noSuchSecret } from './rules.ts';

export const getSecret: Verb<'getSecret'> = async ({ db, project, actor }, { secretId }) => {
  const secret = await findSecret(db, project.id, actor.user.id, secretId);
  if (!secret) throw noSuchSecret();
  return presentSecret(secret);
};
