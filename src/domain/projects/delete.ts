import { Refusal } from '../../contract/errors.ts';
import { deleteProjectRow } from '../../platform/database/queries/projects.ts';
import { audit } from '../audit.ts';
import type { Verb } from '../verb.ts';

/** Everything in the project goes with its row: each table refers to it and is deleted along. */
export const deleteProject: Verb<'deleteProject'> = async (context) => {
  const { project } = context;
  if (project.isDefault)
    throw new Refusal('CONFLICT', 'The Default project receives ingested results and cannot be deleted');
  await context.db.transaction(async (db) => {
    await audit(db, context, 'project.delete', project.id);
    await deleteProjectRow(db, project);
  });
  return { id: project.id, deleted: true };
};
