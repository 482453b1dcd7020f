import { Refusal } from '../../contract/errors.ts';
import { findSkill } from '../../platform/database/queries/skills.ts';
import type { Verb } from '../verb.ts';
import { presentSkill } from './present.ts';

export const getProjectSkill: Verb<'getProjectSkill'> = async ({ db, project, actor }, { skillId }) => {
  const row = await findSkill(db, project.id, actor.user.id, skillId);
  if (!row) throw new Refusal('NOT_FOUND', 'No such skill in this project');
  return { ...presentSkill(row, actor.user.id), content: row.content };
};
