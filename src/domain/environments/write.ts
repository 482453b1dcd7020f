import { type Db, violates } from '../../platform/database/database.ts';
import { nameKey } from '../../platform/database/name-key.ts';
import * as environments from '../../platform/database/queries/environments.ts';
import { conflict, found } from '../base/refusals.ts';
import { writeInProject } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { ProjectContext } from '../context/context.ts';
import { checkComposition, compositionKey } from './composition.ts';
import { presentEnvironment } from './present.ts';

/** Uniqueness is checked by the database, so that of two concurrent requests only one succeeds. */
export function refuseTakenName(error: unknown): never {
  if (violates(error, 'environments_name'))
    throw conflict(
      'Another live environment of this project has this name. Names are case-insensitive',
      'NAME_TAKEN',
    );
  if (violates(error, 'environments_adhoc'))
    throw conflict('An ad hoc environment with the same content already exists', 'ADHOC_TAKEN');
  throw error;
}

interface Write {
  action: string;
  id: string;
  expectedRevision: number;
  /** Computes the new state; throws if the current one does not allow the change. */
  change: (
    current: environments.EnvironmentRow,
    db: Db,
  ) => Promise<environments.EnvironmentFields> | environments.EnvironmentFields;
  archived?: boolean;
}

/** Every change of an environment goes through here: the write is conditional on the revision that was read. */
export function writeEnvironment(
  context: ProjectContext,
  { action, id, expectedRevision, change, archived = false }: Write,
): Promise<ReturnType<typeof presentEnvironment>> {
  const projectId = context.project.id;
  return writeInProject(context, async (db) => {
    const before = found(await db.row(environments.lock, { projectId, id }), 'environment');
    if (before.revision !== expectedRevision)
      throw conflict('The environment has changed. Reload it and repeat the edit', 'ENV_REVISION_CONFLICT', {
        currentRevision: before.revision,
      });
    const after = await change(before, db);
    await checkComposition(context, db, after, before);
    const row = await db.one(environments.update, {
      ...after,
      nameKey: after.name === null ? null : nameKey(after.name),
      composition: compositionKey(after),
      archived,
    });
    await audit(db, context, `environment.${action}`, id);
    return presentEnvironment(row);
  }).catch(refuseTakenName);
}

export function mustBeLive({ archivedAt, revision }: environments.EnvironmentRow): void {
  if (archivedAt !== null)
    throw conflict('The environment is archived. Restore it first', 'ENV_ARCHIVED', {
      currentRevision: revision,
    });
}
