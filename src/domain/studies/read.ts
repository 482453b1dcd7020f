import * as studies from '../../platform/database/queries/studies.ts';
import * as visitors from '../../platform/database/queries/study-visitors.ts';
import { pageByLatest } from '../base/paging.ts';
import { found } from '../base/refusals.ts';
import { closedProject } from '../context/access.ts';
import type { Verb } from '../context/verb.ts';
import { insightsOfStudy } from './analysis/insights.ts';
import { compositionOf, presentForMembers, presentSettings, presentSummary } from './present.ts';

export const listStudies: Verb<'listStudies'> = async (context, { includeUnpublished, ...page }) => {
  const { db, project, actor } = context;
  const unpublished = includeUnpublished === 'true';
  const compositions = new Map<string, Awaited<ReturnType<typeof compositionOf>>>();
  return pageByLatest(
    context,
    ['studies', project.id, unpublished],
    page,
    async (before, most) => {
      const rows = await db.rows(studies.list, { projectId: project.id, unpublished, before, most });
      for (const study of rows)
        if (!compositions.has(study.environmentId))
          compositions.set(study.environmentId, await compositionOf(context, study, actor.user.id));
      return rows;
    },
    (study: studies.ListedStudy) => ({
      ...presentSummary(context, study, compositions.get(study.environmentId)),
      environmentId: study.environmentId,
      sessionsLately: study.sessionsLately,
      lastSessionAt: study.lastSessionAt,
    }),
  );
};

export const getStudy: Verb<'getStudy'> = async (context, { projectId, studyId }) => {
  const { db, actor } = context;
  const member = 'project' in context;
  const userId = actor.user.id;
  if (!member && !(await db.row(visitors.isVisitor, { studyId, userId }))) throw closedProject();
  const study = found(await db.row(studies.find, { projectId, id: studyId }), 'study');
  const settings = await presentSettings(context, study, await compositionOf(context, study, userId));
  if (!member) return settings;
  return {
    ...settings,
    ...presentForMembers(study),
    insights: await insightsOfStudy(db, studyId),
  };
};
