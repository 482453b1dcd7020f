import { countEnvironments } from '../../platform/database/queries/environments.ts';
import { pluginVersionsForPinning } from '../../platform/database/queries/plugins.ts';
import { checkRoom } from '../limits/room.ts';
import type { Verb } from '../verb.ts';
import { conflict, mustBeLive, writeEnvironment } from './write.ts';

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
      if (current.archivedAt === null)
        throw conflict('The environment is not archived', { code: 'ENV_NOT_ARCHIVED' });
      await checkRoom(context, db, 'environments', countEnvironments, {
        projectId: context.project.id,
        adhoc: false,
      });
      if (!current.pluginVersionIds) return current;
      const there = await pluginVersionsForPinning(db, context.project.id, current.pluginVersionIds);
      const kept = current.pluginVersionIds.filter((id) => there.some((version) => version.id === id));
      return { ...current, pluginVersionIds: kept.length > 0 ? kept : null };
    },
  });
