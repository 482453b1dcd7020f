import * as environments from '../../platform/database/queries/environments.ts';
import { found } from '../refusals.ts';
import type { Verb } from '../verb.ts';
import { presentEnvironment } from './present.ts';

export const getEnvironment: Verb<'getEnvironment'> = async ({ db, project }, { environmentId: id }) => {
  const row = await db.row(environments.find, { projectId: project.id, id });
  return presentEnvironment(found(row, 'environment'));
};

export const getEnvironmentCapabilities: Verb<'getEnvironmentCapabilities'> = () => ({
  modelOverrides: true,
  modelMatrix: false,
  secretGrants: true,
});
