import { Refusal } from '../../contract/errors.ts';
import * as plugins from '../../platform/database/queries/plugins.ts';
import { projectOf } from '../context/access.ts';
import type { Verb } from '../context/verb.ts';
import { presentVersion } from './present.ts';

export const getPluginVersion: Verb<'getPluginVersion'> = async (context, { pluginVersionId: id }) => {
  const row = await context.db.row(plugins.findVersion, { id });
  if (!row) throw noSuchVersion();
  // Same message as for an unknown version, so that the response does not reveal versions in other projects.
  await projectOf(context, row.projectId).catch((error: unknown) => {
    throw error instanceof Refusal ? noSuchVersion() : error;
  });
  return presentVersion(row);
};

function noSuchVersion(): Refusal {
  return new Refusal('NOT_FOUND', 'No such plugin version');
}
