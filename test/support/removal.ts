import { projectJobs } from '../../src/domain/projects/remove-content.ts';
import type { Db } from '../../src/platform/database/database.ts';
import { deleted } from '../../src/platform/database/queries/project-contents.ts';
import type { JobKind } from '../../src/platform/jobs/worker.ts';

/** What the job does for each deleted project, for services without a worker. */
export async function removeDeletedContent(db: Db, signal = new AbortController().signal): Promise<void> {
  const [removal] = projectJobs({ db }) as [JobKind];
  for (const { id } of await db.rows(deleted, { projectId: null })) {
    const commit = await removal.handle({ projectId: id }, signal);
    if (commit) await db.transaction(commit);
  }
}
