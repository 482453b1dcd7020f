import { Refusal } from '../../contract/errors.ts';
import type { Db } from '../../platform/database/database.ts';
import { lineUpInProject } from '../../platform/database/queries/projects.ts';
import type { ProjectContext } from '../context.ts';

/** What existing clients look up by name or id in the first page of a list has to be on it. */
const usual = 1000;

/** Until the transaction ends nobody else adds to the project, so what was counted stays true. */
export async function checkRoom(
  { project }: ProjectContext,
  db: Db,
  things: string,
  count: (db: Db, projectId: string) => Promise<number>,
  most = usual,
): Promise<void> {
  await lineUpInProject(db, project.id);
  if ((await count(db, project.id)) >= most)
    throw new Refusal('CONFLICT', `A project holds at most ${most} ${things}`, {
      details: { reason: 'LIMIT_REACHED', limit: most },
    });
}
