import { Refusal } from '../../contract/errors.ts';
import * as organizations from '../../platform/database/queries/organizations.ts';
import { audit } from '../audit.ts';
import type { Verb } from '../verb.ts';

export const updateOrganization: Verb<'updateOrganization'> = async (
  context,
  { organizationId: id, body },
) => {
  const { name = null, logoUrl = null } = body;
  const organization = await context.db.transaction(async (trx) => {
    const updated = await trx.row(organizations.update, {
      id,
      name,
      logoUrl,
      setsLogoUrl: body.logoUrl !== undefined,
    });
    if (!updated) throw new Refusal('NOT_FOUND', 'No such organization');
    await audit(trx, context, 'organization.update', id);
    return updated;
  });
  return organization;
};
