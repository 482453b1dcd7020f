import * as environments from '../../platform/database/queries/environments.ts';
import { found } from '../base/refusals.ts';
import type { Verb } from '../context/verb.ts';
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
