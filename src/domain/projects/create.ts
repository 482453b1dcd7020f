import { Refusal } from '../../contract/errors.ts';
import * as members from '../../platform/database/queries/members.ts';
import * as projects from '../../platform/database/queries/projects.ts';
import { newId } from '../../platform/ids.ts';
import { projectOf } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { Verb } from '../context/verb.ts';
import { presentProject } from './present.ts';

export const createProject: Verb<'createProject'> = async (context, { body }) => {
  const { organization, user } = context.actor;
  const {
    organizationId = organization.id,
    name,
    description = null,
    icon = null,
    visibility = 'public',
  } = body;
  if (organizationId !== organization.id)
    throw new Refusal('FORBIDDEN', 'API key is not scoped to this organization');
  const id = newId('prj', context.clock());
  return context.db.transaction(async (db) => {
    const project = { id, organizationId, name, description, icon, visibility, isDefault: false };
    await db.run(projects.insert, project);
    await db.run(members.setInProject, { projectId: id, userId: user.id, role: 'admin' });
    await audit(db, context, 'project.create', id);
    return presentProject(await projectOf({ ...context, db }, id));
  });
};
