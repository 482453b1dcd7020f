import * as skills from '../../platform/database/queries/skills.ts';
import { pageById } from '../base/paging.ts';
import { found } from '../base/refusals.ts';
import type { Verb } from '../context/verb.ts';
import { presentSkill } from './present.ts';

export const listProjectSkills: Verb<'listProjectSkills'> = (context, page) => {
  const { db, project, actor } = context;
  const userId = actor.user.id;
  const fetch = (after: string, most: number) =>
    db.rows(skills.list, { projectId: project.id, userId, after, most });
  return pageById(context, ['skills', project.id, userId], page, fetch, (row) => presentSkill(row, userId));
};

export const getProjectSkill: Verb<'getProjectSkill'> = async ({ db, project, actor }, { skillId: id }) => {
  const viewer = { projectId: project.id, userId: actor.user.id };
  const row = found(await db.row(skills.find, { ...viewer, id }), 'skill');
  return { ...presentSkill(row, viewer.userId), content: row.content };
};
