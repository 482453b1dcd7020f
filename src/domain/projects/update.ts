import { updateProjectRow } from '../../platform/database/queries/projects.ts';
import { projectOf } from '../access.ts';
import { audit } from '../audit.ts';
import type { Verb } from '../verb.ts';
import { presentProject } from './present.ts';

export const updateProject: Verb<'updateProject'> = (context, { body }) =>
  context.db.transaction(async (db) => {
    await updateProjectRow(db, context.project, body);
    await audit(db, context, 'project.update', context.project.id);
    return presentProject(await projectOf({ ...context, db }, context.project.id));
  });
