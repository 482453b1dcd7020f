import type { Db } from '../../platform/database/database.ts';
import * as studies from '../../platform/database/queries/studies.ts';
import { conflict, found } from '../base/refusals.ts';
import { writeInProject } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { ProjectContext } from '../context/context.ts';

/**
 * Every change of a study goes through here: locks the study, audits the action, and notifies visits that access may
 * have ended.
 */
export function writeStudy<Answer>(
  context: ProjectContext,
  id: string,
  action: string,
  work: (db: Db, study: studies.StudyRow) => Promise<Answer>,
): Promise<Answer> {
  return writeInProject(context, async (db) => {
    const study = found(await db.row(studies.lock, { projectId: context.project.id, id }), 'study');
    const answer = await work(db, study);
    await db.run(studies.announce, { id });
    await audit(db, context, `study.${action}`, id);
    return answer;
  });
}

/** Reads the study again after a change. */
export async function reloadStudy(db: Db, { projectId, id }: studies.StudyRow): Promise<studies.StudyRow> {
  return found(await db.row(studies.find, { projectId, id }), 'study');
}

export function mustBePublished({ publishedAt }: studies.StudyRow): void {
  if (publishedAt === null)
    throw conflict('The study is not published. Publish its environment first', 'STUDY_NOT_PUBLISHED');
}
