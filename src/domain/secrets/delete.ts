import * as secrets from '../../platform/database/queries/secrets.ts';
import { found } from '../base/refusals.ts';
import { writeInProject } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { Verb } from '../context/verb.ts';

export const deleteSecret: Verb<'deleteSecret'> = (context, { secretId: id }) => {
  const viewer = { projectId: context.project.id, userId: context.actor.user.id };
  return writeInProject(context, async (db) => {
    const { projectId, name, sealedId } = found(await db.row(secrets.lock, { ...viewer, id }), 'secret');
    await db.run(secrets.remove, { projectId, id });
    await context.vault.forget(db, sealedId);
    await audit(db, context, 'secret.delete', id);
    return { id, projectId, name, deleted: true };
  });
};
