import { Refusal } from '../../contract/errors.ts';
import * as members from '../../platform/database/queries/members.ts';
import * as organizations from '../../platform/database/queries/organizations.ts';
import { audit } from '../context/audit.ts';
import type { Verb } from '../context/verb.ts';

export const updateOrganization: Verb<'updateOrganization'> = async (
  context,
  { organizationId: id, body },
) => {
  const { name = null, logoUrl = null } = body;
  const organization = await context.db.transaction(async (trx) => {
    await trx.rows(members.lockOrganization, { organizationId: id });
    const before = await trx.row(organizations.find, { id });
    const updated = await trx.row(organizations.update, {
      id,
      name,
      logoUrl,
      setsLogoUrl: body.logoUrl !== undefined,
    });
    if (!updated) throw new Refusal('NOT_FOUND', 'No such organization');
    const details = { oldName: before?.name ?? null, newName: updated.name, logoUrl: updated.logoUrl };
    await audit(trx, context, 'organization.update', id, details);
    return updated;
  });
  return organization;
};
