import { findOrganization } from '../../platform/database/queries/identity.ts';
import type { Verb } from '../verb.ts';

export const listOrganizations: Verb<'listOrganizations'> = async ({ actor, db }) => {
  const organization = await findOrganization(db, actor.organization.id);
  if (!organization) return { items: [] };
  const { createdBy, ...shown } = organization;
  return { items: [{ ...shown, myRole: actor.role, isCreator: createdBy === actor.user.id }] };
};
