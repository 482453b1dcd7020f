import { deleteSecretRow, lockSecret } from '../../platform/database/queries/secrets.ts';
import { writeInProject } from '../access.ts';
import { audit } from '../audit.ts';
import type { Verb } from '../verb.ts';
import { noSuchSecret } from './rules.ts';

export const deleteSecret: Verb<'deleteSecret'> = (context, { secretId }) => {
  const { project, actor } = context;
  return writeInProject(context, async (db) => {
    const secret = await lockSecret(db, project.id, actor.user.id, secretId);
    if (!secret) throw noSuchSecret();
    await deleteSecretRow(db, project.id, secretId);
    await context.vault.forget(db, secret.sealedId);
    await audit(db, context, 'secret.delete', secretId);
    return { id: secretId, projectId: project.id, name: secret.name, deleted: true };
  });
};
