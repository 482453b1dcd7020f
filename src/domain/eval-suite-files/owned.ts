import type { Db } from '../../platform/database/database.ts';
import * as suites from '../../platform/database/queries/eval-suites.ts';
import * as projects from '../../platform/database/queries/projects.ts';
import type { ProjectContext } from '../context.ts';
import { addSuite } from '../eval-suites/create.ts';
import { changedNames, type Suite, type SuiteFields, suiteOf, writeRevision } from '../eval-suites/suite.ts';

/** The file a suite belongs to, at the moment. */
interface File {
  declaredId: string;
  sourceHash: string;
}

/**
 * The suite that a file owns, held in the transaction. Where there is none, nobody else adds one before the
 * transaction ends. What was made otherwise has no such id, and is never found.
 */
export async function ownedSuite(
  { project }: ProjectContext,
  db: Db,
  declaredId: string,
): Promise<Suite | undefined> {
  const which = { projectId: project.id, declaredId };
  const known = await db.row(suites.lockByDeclaredId, which);
  if (known) return suiteOf(known);
  await db.row(projects.lineUp, { id: project.id });
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

/** Without a revision when nothing of the suite changes; `also` names what has changed besides its fields. */
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
