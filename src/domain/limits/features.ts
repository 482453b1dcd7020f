import { Refusal } from '../../contract/errors.ts';
import type { Operation } from '../../contract/operation.ts';
import * as organizations from '../../platform/database/queries/organizations.ts';
import type { Context, PublicContext } from '../context/context.ts';

/**
 * Response for an organization without the feature an operation needs: a fixed answer, or a refusal. Undefined if the
 * operation may run.
 */
export async function closedBy(
  { feature }: Operation,
  { db, actor }: PublicContext & Partial<Context>,
): Promise<{ answer: unknown } | undefined> {
  if (!feature || feature.off === 'allow' || !actor) return undefined;
  const { name, off } = feature;
  const organizationId = actor.organization.id;
  if (await db.row(organizations.hasFeature, { organizationId, feature: name })) return undefined;
  const message = `This organization does not have ${name}. Ask the operator to enable it: drydock features enable ${name}`;
  if (off === 'refuse') throw new Refusal('FORBIDDEN', message, { details: { feature: name } });
  if (off === 'not found') throw new Refusal('NOT_FOUND', message, { details: { feature: name } });
  return { answer: off.answer };
}
