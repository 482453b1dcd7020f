import { lockSecret, type SecretRow, updateSecretRow } from '../../platform/database/queries/secrets.ts';
import { ownerIn, writeInProject } from '../access.ts';
import { audit } from '../audit.ts';
import type { Verb } from '../verb.ts';
import { presentSecret } from './present.ts';
import { checkBinding, noSuchSecret } from './rules.ts';

export const updateSecret: Verb<'updateSecret'> = (context, { secretId, body }) => {
  const { project, actor } = context;
  const { value, description, ...change } = body;
  return writeInProject(context, async (db) => {
    const before = await lockSecret(db, project.id, actor.user.id, secretId);
    if (!before) throw noSuchSecret();
    const secret = await updateSecretRow(db, {
      ...before,
      ...rebound(before, change),
      description: description === undefined ? before.description : description,
      sealedId: value === undefined ? before.sealedId : await context.vault.seal(db, ownerIn(context), value),
      updatedBy: actor.user.id,
    });
    if (secret.sealedId !== before.sealedId) await context.vault.forget(db, before.sealedId);
    await audit(db, context, 'secret.update', secretId);
    return presentSecret(secret);
  });
};

type Binding = Pick<SecretRow, 'delivery' | 'brokerHosts' | 'brokerHeader' | 'brokerTemplate'>;
type Rebinding = { [Field in keyof Binding]?: NonNullable<Binding[Field]> | undefined };

/** What was brokered and stays so keeps the parts that are not mentioned; anything else starts from nothing. */
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
