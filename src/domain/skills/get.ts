import * as skills from '../../platform/database/queries/skills.ts';
import { found } from '../base/refusals.ts';
import type { Verb } from '../context/verb.ts';
import { presentSkill } from './present.ts';

export const getProjectSkill: Verb<'getProjectSkill'> = async ({ db, project, actor }, { skillId: id }) => {
  const viewer = { projectId: project.id, userId: actor.user.id };
  const row = found(await db.row(skills.find, { ...viewer, id }), 'skill');
  return { ...presentSkill(row, viewer.userId), content: row.content };
};
