import { listEnvironmentRows } from '../../platform/database/queries/environments.ts';
import type { Verb } from '../verb.ts';
import { presentEnvironment } from './present.ts';

export const listEnvironments: Verb<'listEnvironments'> = async ({ db, project }, { includeArchived }) => {
  const rows = await listEnvironmentRows(db, project.id, includeArchived === 'true');
  return { items: rows.map(presentEnvironment) };
};
