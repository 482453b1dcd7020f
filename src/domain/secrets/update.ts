import * as secrets from '../../platform/database/queries/secrets.ts';
import { found } from '../base/refusals.ts';
import { ownerIn, writeInProject } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { Verb } from '../context/verb.ts';
import { presentSecret } from './present.ts';
import { checkBinding } from './rules.ts';

export const updateSecret: Verb<'updateSecret'> = (context, { secretId: id, body }) => {
  const { project, actor } = context;
  const { value, description, ...change } = body;
  return writeInProject(context, async (db) => {
    const viewer = { projectId: project.id, userId: actor.user.id };
    const before = found(await db.row(secrets.lock, { ...viewer, id }), 'secret');
    const secret = await db.one(secrets.update, {
      ...before,
      ...rebound(before, change),
      description: description === undefined ? before.description : description,
      sealedId: value === undefined ? before.sealedId : await context.vault.seal(db, ownerIn(context), value),
      updatedBy: actor.user.id,
    });
    if (secret.sealedId !== before.sealedId) await context.vault.forget(db, before.sealedId);
    await audit(db, context, 'secret.update', id);
    return presentSecret(secret);
  });
};

type Binding = Pick<secrets.SecretRow, 'delivery' | 'brokerHosts' | 'brokerHeader' | 'brokerTemplate'>;
type Rebinding = { [Field in keyof Binding]?: NonNullable<Binding[Field]> | undefined };

/** If the delivery does not change, omitted fields are kept; otherwise they start empty. */
function rebound(before: Binding, change: Rebinding): Binding {
  const { delivery = before.delivery } = change;
  const kept = delivery === before.delivery ? before : undefined;
  const brokerHosts = change.brokerHosts ?? kept?.brokerHosts ?? undefined;
  const brokerHeader = change.brokerHeader ?? kept?.brokerHeader ?? undefined;
  const brokerTemplate = change.brokerTemplate ?? kept?.brokerTemplate ?? undefined;
  checkBinding({ delivery, brokerHosts, brokerHeader, brokerTemplate });
  return {
    delivery,
    brokerHosts: brokerHosts ?? null,
    brokerHeader: brokerHeader ?? null,
    brokerTemplate: brokerTemplate ?? null,
  };
}
