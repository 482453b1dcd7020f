import { Refusal } from '../../contract/errors.ts';
import { markDeleted } from '../../platform/database/queries/projects.ts';
import { noSuchProject } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { Verb } from '../context/verb.ts';
import { removeContentLater } from './remove-content.ts';

/** The project is gone when this returns; its contents are removed in the background. */
export const deleteProject: Verb<'deleteProject'> = async (context) => {
  const { project, actor } = context;
  if (project.isDefault)
    throw new Refusal('CONFLICT', 'The Default project receives ingested results and cannot be deleted', {
      details: { reason: 'DEFAULT_PROJECT' },
    });
  await context.db.transaction(async (db) => {
    if (!(await markDeleted(db, project))) throw noSuchProject();
    await audit(db, context, 'project.delete', project.id);
    await removeContentLater(db, project.id, {
      organizationId: actor.organization.id,
      userId: actor.user.id,
    });
  });
  return { id: project.id, deleted: true };
};
