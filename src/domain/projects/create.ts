import { Refusal } from '../../contract/errors.ts';
import { insertProject, setProjectMember } from '../../platform/database/queries/projects.ts';
import { newId } from '../../platform/ids.ts';
import { projectOf } from '../access.ts';
import { audit } from '../audit.ts';
import type { Verb } from '../verb.ts';
import { presentProject } from './present.ts';

export const createProject: Verb<'createProject'> = async (context, { body }) => {
  const { organization, user } = context.actor;
  const { organizationId = organization.id, ...fields } = body;
  if (organizationId !== organization.id)
    throw new Refusal('FORBIDDEN', 'API key is not scoped to this organization');
  const id = newId('prj', context.clock());
  return context.db.transaction(async (db) => {
    await insertProject(db, { id, organizationId, ...fields });
    await setProjectMember(db, id, user.id, 'admin');
    await audit(db, context, 'project.create', id);
    return presentProject(await projectOf({ ...context, db }, id));
  });
};
