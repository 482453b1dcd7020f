import { countEnvironments } from '../../platform/database/queries/environments.ts';
import { checkRoom } from '../limits/room.ts';
import type { Verb } from '../verb.ts';
import { conflict, mustBeLive, writeEnvironment } from './write.ts';

export const nameEnvironment: Verb<'nameEnvironment'> = (context, { environmentId, body }) =>
  writeEnvironment(context, {
    action: 'name',
    id: environmentId,
    expectedRevision: body.expectedRevision,
    change: async (current, db) => {
      mustBeLive(current);
      if (current.name !== null)
        throw conflict('The environment has a name already. Edit it to change the name', {
          code: 'ENV_NAMED',
          currentName: current.name,
        });
      await checkRoom(context, db, 'environments', countEnvironments, {
        projectId: context.project.id,
        adhoc: false,
      });
      return { ...current, name: body.name, description: body.description || current.description };
    },
  });
