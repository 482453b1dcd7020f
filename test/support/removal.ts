import { projectJobs } from '../../src/domain/projects/remove-content.ts';
import type { Db } from '../../src/platform/database/database.ts';
import { deletedProjects } from '../../src/platform/database/queries/project-contents.ts';
import type { JobKind } from '../../src/platform/jobs/worker.ts';

/** What the job does for each deleted project, for services without a worker. */
export async function removeDeletedContent(db: Db, signal = new AbortController().signal): Promise<void> {
  const [removal] = projectJobs({ db }) as [JobKind];
  for (const projectId of await deletedProjects(db)) {
    const commit = await removal.handle({ projectId }, signal);
    if (commit) await db.transaction(commit);
  }
}
