import type { Db } from '../../platform/database/database.ts';
import * as environments from '../../platform/database/queries/environments.ts';
import { conflict } from '../base/refusals.ts';
import type { ProjectContext } from '../context/context.ts';
import type { Selection } from './selection.ts';

/** Locks the environment until the transaction ends, and refuses if it changed since it was resolved. */
export async function requireUnchanged(
  db: Db,
  { project }: ProjectContext,
  { composition }: Selection,
): Promise<void> {
  if (!composition) return;
  const { id, revision } = composition.environment;
  const now = await db.row(environments.hold, { projectId: project.id, id });
  if (now?.revision !== revision)
    throw conflict(
      'The environment has changed since the run was requested. Start the run again',
      'ENVIRONMENT_CHANGED',
      {
        currentRevision: now?.revision ?? null,
      },
    );
}
