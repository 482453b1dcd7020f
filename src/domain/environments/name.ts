import * as environments from '../../platform/database/queries/environments.ts';
import { conflict } from '../base/refusals.ts';
import type { Verb } from '../context/verb.ts';
import { checkRoom } from '../limits/room.ts';
import { mustBeLive, writeEnvironment } from './write.ts';

export const nameEnvironment: Verb<'nameEnvironment'> = (context, { environmentId, body }) =>
  writeEnvironment(context, {
    action: 'name',
    id: environmentId,
    expectedRevision: body.expectedRevision,
    change: async (current, db) => {
      mustBeLive(current);
      if (current.name !== null)
        throw conflict('The environment already has a name. Edit it to change the name', 'ENV_NAMED', {
          currentName: current.name,
        });
      const which = { projectId: current.projectId, adhoc: false };
      await checkRoom(context, db, 'environments', environments.count, which);
      return { ...current, name: body.name, description: body.description || current.description };
    },
  });
