import { contentRemoval } from '../../src/domain/projects/remove-content.ts';
import { deleted } from '../../src/platform/database/queries/project-contents.ts';

/** Runs the removal job for each deleted project, for services without a worker. */
export async function removeDeletedContent(
  services: Parameters<typeof contentRemoval>[0],
  signal = new AbortController().signal,
): Promise<void> {
  const { db } = services;
  const removal = contentRemoval(services);
  for (const { id } of await db.rows(deleted, { id: null })) {
    const commit = await removal.handle({ id }, signal);
    if (commit) await db.transaction(commit);
  }
}
