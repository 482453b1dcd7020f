import { projectJobs } from '../../src/domain/projects/remove-content.ts';
import { deleted } from '../../src/platform/database/queries/project-contents.ts';
import type { JobKind } from '../../src/platform/jobs/worker.ts';

/** Runs the removal job for each deleted project, for services without a worker. */
export async function removeDeletedContent(
  services: Parameters<typeof projectJobs>[0],
  signal = new AbortController().signal,
): Promise<void> {
  const { db } = services;
  const [removal] = projectJobs(services) as [JobKind];
  for (const { id } of await db.rows(deleted, { id: null })) {
    const commit = await removal.handle({ id }, signal);
    if (commit) await db.transaction(commit);
  }
}
