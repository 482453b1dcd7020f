import { listSecretRows } from '../../platform/database/queries/secrets.ts';
import type { Verb } from '../verb.ts';
import { presentSecret } from './present.ts';

export const listSecrets: Verb<'listSecrets'> = async ({ db, project, actor }) => {
  const rows = await listSecretRows(db, project.id, actor.user.id);
  return { items: rows.map(presentSecret) };
};
