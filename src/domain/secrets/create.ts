import { Refusal } from '../../contract/errors.ts';
import * as secrets from '../../platform/database/queries/secrets.ts';
import { newId } from '../../platform/ids.ts';
import { ownerIn, writeInProject } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { Verb } from '../context/verb.ts';
import { checkRoom } from '../limits/room.ts';
import { presentSecret } from './present.ts';
import { refuseTakenName } from './rules.ts';

export const createSecret: Verb<'createSecret'> = async (context, { body }) => {
  const { project, actor } = context;
  const { name, value, sharing = 'project' } = body;
  if (sharing === 'project' && project.role !== 'admin')
    throw new Refusal(
      'FORBIDDEN',
      'Only an administrator of the project can manage shared secrets. Send sharing: "user" for a personal secret',
    );
  const ownerId = sharing === 'user' ? actor.user.id : null;
  return writeInProject(context, async (db) => {
    const things = ownerId === null ? 'shared secrets' : 'personal secrets per user';
    await checkRoom(context, db, things, secrets.count, { projectId: project.id, ownerId });
    const secret = await db.one(secrets.insert, {
      id: newId('sct', context.clock()),
      projectId: project.id,
      name,
      description: body.description ?? null,
      delivery: body.delivery,
      brokerHosts: body.brokerHosts ?? null,
      brokerHeader: body.brokerHeader ?? null,
      brokerTemplate: body.brokerTemplate ?? null,
      sharing,
      ownerId,
      sealedId: await context.vault.seal(db, ownerIn(context), value),
      createdBy: actor.user.id,
      updatedBy: actor.user.id,
    });
    await audit(db, context, 'secret.create', secret.id);
    return presentSecret(secret);
  }).catch(refuseTakenName(name));
};
