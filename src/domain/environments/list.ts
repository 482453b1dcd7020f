import { listEnvironmentRows } from '../../platform/database/queries/environments.ts';
import type { Verb } from '../verbs.ts';
import { presentEnvironment } from './present.ts';

/** A list is answered whole. */
export const mostEnvironments = 1000;

export const listEnvironments: Verb<'listEnvironments'> = async ({ db, project }, { includeArchived }) => {
  const options = { archived: includeArchived === 'true', most: mostEnvironments };
  return { items: (await listEnvironmentRows(db, project.id, options)).map(presentEnvironment) };
};
