import type { Db } from '../../platform/database/database.ts';
import * as suites from '../../platform/database/queries/eval-suites.ts';
import * as projects from '../../platform/database/queries/projects.ts';
import type { ProjectContext } from '../context/context.ts';
import { addSuite } from '../eval-suites/create.ts';
import { changedNames, type Suite, type SuiteFields, suiteOf, writeRevision } from '../eval-suites/suite.ts';

/** The file that currently owns a suite. */
interface File {
  declaredId: string;
  sourceHash: string;
}

/**
 * Finds and locks the suite a file owns. If the suite does not exist, locks the project, so that no concurrent request
 * adds it. Suites not created from files have no declared ID and never match.
 */
export async function ownedSuite(
  { project }: ProjectContext,
  db: Db,
  declaredId: string,
): Promise<Suite | undefined> {
  const which = { projectId: project.id, declaredId };
  const known = await db.row(suites.lockByDeclaredId, which);
  if (known) return suiteOf(known);
  await db.row(projects.lockForUpdate, { id: project.id });
  const meanwhile = await db.row(suites.lockByDeclaredId, which);
  return meanwhile && suiteOf(meanwhile);
}

export function addOwned(
  context: ProjectContext,
  db: Db,
  fields: Parameters<typeof addSuite>[2],
  file: File,
): Promise<Suite> {
  return addSuite(context, db, fields, { source: 'file_sync', file });
}

/** Writes no revision if nothing changes; `also` names changes outside the suite's fields. */
export async function updateOwned(
  context: ProjectContext,
  db: Db,
  suite: Suite,
  fields: Partial<SuiteFields>,
  { sourceHash }: File,
  also: readonly string[] = [],
): Promise<{ suite: Suite; changed: boolean }> {
  const { projectId, id } = suite;
  if (suite.sourceHash !== sourceHash) await db.run(suites.setSourceHash, { projectId, id, sourceHash });
  const changedFields = [...changedNames(suite, fields), ...also];
  const changed = changedFields.length > 0;
  const after = changed
    ? await writeRevision(context, db, suite, fields, { changedFields, source: 'file_sync' })
    : suite;
  return { suite: { ...after, sourceHash }, changed };
}
