import * as projects from '../../platform/database/queries/projects.ts';
import { projectOf } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { Verb } from '../context/verb.ts';
import { presentProject } from './present.ts';

export const updateProject: Verb<'updateProject'> = (context, { body }) =>
  context.db.transaction(async (db) => {
    const { id, organizationId } = context.project;
    await db.run(projects.update, {
      organizationId,
      id,
      name: body.name ?? null,
      visibility: body.visibility ?? null,
      description: body.description ?? null,
      setsDescription: body.description !== undefined,
      icon: body.icon ?? null,
      setsIcon: body.icon !== undefined,
    });
    await audit(db, context, 'project.update', id);
    return presentProject(await projectOf({ ...context, db }, id));
  });
