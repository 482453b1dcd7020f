import { nameKey } from '../../platform/database/name-key.ts';
import * as environments from '../../platform/database/queries/environments.ts';
import { newId } from '../../platform/ids.ts';
import { writeInProject } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { Verb } from '../context/verb.ts';
import { checkRoom } from '../limits/room.ts';
import { checkComposition, composed, compositionKey } from './composition.ts';
import { presentEnvironment } from './present.ts';
import { refuseTakenName } from './write.ts';

const maxAdhoc = 10_000;

export const createEnvironment: Verb<'createEnvironment'> = (context, { body }) => {
  const projectId = context.project.id;
  const composition = composed(body);
  return writeInProject(context, async (db) => {
    await checkRoom(context, db, 'environments', environments.count, { projectId, adhoc: false });
    await checkComposition(context, db, composition);
    const row = await db.one(environments.insert, {
      id: newId('env', context.clock()),
      projectId,
      name: body.name,
      nameKey: nameKey(body.name),
      description: body.description || null,
      ...composition,
      composition: compositionKey(composition),
    });
    await audit(db, context, 'environment.create', row.id);
    return presentEnvironment(row);
  }).catch(refuseTakenName);
};

export const ensureAdhocEnvironment: Verb<'ensureAdhocEnvironment'> = (context, { body }) => {
  const projectId = context.project.id;
  const parts = composed(body);
  const composition = compositionKey(parts);
  return writeInProject(context, async (db) => {
    await checkComposition(context, db, parts);
    const id = newId('env', context.clock());
    const fields = { id, projectId, name: null, nameKey: null, description: null, ...parts, composition };
    // The conflicting environment may be named or archived before it is read; then the insert can succeed, so it is
    // retried.
    for (;;) {
      const made = await db.row(environments.insertAdhoc, fields);
      if (made) {
        // Ad hoc environments are not listed, but their number is limited too.
        const which = { projectId, adhoc: true };
        await checkRoom(context, db, 'ad hoc environments', environments.count, which, maxAdhoc);
        await audit(db, context, 'environment.ensure-adhoc', id);
        return { environment: presentEnvironment(made), created: true };
      }
      const existing = await db.row(environments.adhoc, { projectId, composition });
      if (existing) return { environment: presentEnvironment(existing), created: false };
    }
  });
};
