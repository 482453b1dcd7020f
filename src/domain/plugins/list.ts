import { listPluginRows } from '../../platform/database/queries/plugins.ts';
import type { Verb } from '../verb.ts';
import { presentPlugin } from './present.ts';

export const listProjectPlugins: Verb<'listProjectPlugins'> = async ({ db, project }) => ({
  items: (await listPluginRows(db, project.id)).map(presentPlugin),
});
