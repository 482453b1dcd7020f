import { findEnvironment } from '../../platform/database/queries/environments.ts';
import type { Verb } from '../verb.ts';
import { presentEnvironment } from './present.ts';
import { noSuchEnvironment } from './write.ts';

export const getEnvironment: Verb<'getEnvironment'> = async ({ db, project }, { environmentId }) => {
  const row = await findEnvironment(db, project.id, environmentId);
  if (!row) throw noSuchEnvironment();
  return presentEnvironment(row);
};

export const getEnvironmentCapabilities: Verb<'getEnvironmentCapabilities'> = () => ({
  modelOverrides: true,
  modelMatrix: false,
  secretGrants: true,
});
