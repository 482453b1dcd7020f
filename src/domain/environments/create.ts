import {
  countEnvironments,
  type EnvironmentRow,
  findAdhoc,
  insertEnvironment,
} from '../../platform/database/queries/environments.ts';
import { newId } from '../../platform/ids.ts';
import { writeInProject } from '../access.ts';
import { audit } from '../audit.ts';
import { checkRoom } from '../limits/room.ts';
import type { Verb } from '../verb.ts';
import { checkComposition, composed, compositionKey } from './composition.ts';
import { presentEnvironment } from './present.ts';
import { refuseTakenName } from './write.ts';

const mostAdhoc = 10_000;

export const createEnvironment: Verb<'createEnvironment'> = (context, { body }) => {
  const projectId = context.project.id;
  const composition = composed(body);
  return writeInProject(context, async (db) => {
    await checkRoom(context, db, 'environments', countEnvironments, {
      projectId: context.project.id,
      adhoc: false,
    });
    await checkComposition(context, db, composition);
    const id = newId('env', context.clock());
    const fields = { id, projectId, name: body.name, description: body.description || null, ...composition };
    const row = await insertEnvironment(db, fields, compositionKey(composition));
    await audit(db, context, 'environment.create', id);
    // Only those without a name can meet another of the same content.
    return presentEnvironment(row as EnvironmentRow);
  }).catch(refuseTakenName);
};

export const ensureAdhocEnvironment: Verb<'ensureAdhocEnvironment'> = (context, { body }) => {
  const projectId = context.project.id;
  const composition = composed(body);
  const key = compositionKey(composition);
  return writeInProject(context, async (db) => {
    await checkComposition(context, db, composition);
    const id = newId('env', context.clock());
    // The one that was in the way may be named or archived before it is read; then the place is free.
    for (;;) {
      const made = await insertEnvironment(
        db,
        { id, projectId, name: null, description: null, ...composition },
        key,
      );
      if (made) {
        // Nobody sees these in a list, but there cannot be any number of them either.
        await checkRoom(
          context,
          db,
          'environments made on the fly',
          countEnvironments,
          { projectId, adhoc: true },
          mostAdhoc,
        );
        await audit(db, context, 'environment.ensure-adhoc', id);
        return { environment: presentEnvironment(made), created: true };
      }
      const existing = await findAdhoc(db, projectId, key);
      if (existing) return { environment: presentEnvironment(existing), created: false };
    }
  });
};
