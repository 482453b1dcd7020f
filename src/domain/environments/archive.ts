import * as environments from '../../platform/database/queries/environments.ts';
import * as plugins from '../../platform/database/queries/plugins.ts';
import { conflict } from '../base/refusals.ts';
import type { Verb } from '../context/verb.ts';
import { checkRoom } from '../limits/room.ts';
import { mustBeLive, writeEnvironment } from './write.ts';

export const archiveEnvironment: Verb<'archiveEnvironment'> = (context, { environmentId, body }) =>
  writeEnvironment(context, {
    action: 'archive',
    id: environmentId,
    expectedRevision: body.expectedRevision,
    archived: true,
    change: (current) => {
      mustBeLive(current);
      return current;
    },
  });

export const restoreEnvironment: Verb<'restoreEnvironment'> = (context, { environmentId, body }) =>
  writeEnvironment(context, {
    action: 'restore',
    id: environmentId,
    expectedRevision: body.expectedRevision,
    change: async (current, db) => {
      const { projectId, pluginVersionIds: ids } = current;
      if (current.archivedAt === null) throw conflict('The environment is not archived', 'ENV_NOT_ARCHIVED');
      await checkRoom(context, db, 'environments', environments.count, { projectId, adhoc: false });
      if (!ids) return current;
      const there = await db.rows(plugins.pinning, { projectId, ids });
      const kept = ids.filter((id) => there.some((version) => version.id === id));
      return { ...current, pluginVersionIds: kept.length > 0 ? kept : null };
    },
  });
