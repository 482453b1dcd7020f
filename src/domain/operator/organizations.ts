import type { Db } from '../../platform/database/database.ts';
import * as members from '../../platform/database/queries/members.ts';
import * as organizations from '../../platform/database/queries/organizations.ts';
import * as plans from '../../platform/database/queries/plans.ts';
import * as projects from '../../platform/database/queries/projects.ts';
import { newId } from '../../platform/ids.ts';
import { OperatorProblem } from '../../platform/problem.ts';
import { auditOperator } from '../context/audit.ts';
import { organizationNamed, userNamed } from './find.ts';

/** Features that can be enabled per organization. */
export const features = ['swarms', 'user-testing'] as const;

/** Creates an organization with its owner and Default project. */
export async function createOrganization(
  db: Db,
  input: { name: string; owner: string },
): Promise<{ id: string; defaultProjectId: string }> {
  const owner = await userNamed(db, input.owner);
  const id = newId('org');
  const defaultProjectId = newId('prj');
  await db.transaction(async (trx) => {
    await trx.run(organizations.insert, { id, name: input.name, createdBy: owner.id });
    await trx.run(members.set, { organizationId: id, userId: owner.id, role: 'owner' });
    await trx.run(projects.insert, {
      id: defaultProjectId,
      organizationId: id,
      name: 'Default',
      description: null,
      icon: null,
      visibility: 'public',
      isDefault: true,
    });
    await auditOperator(trx, 'organization.create', id, id);
  });
  return { id, defaultProjectId };
}

/** Deletes an organization, but keeps its keys as orphans, so that their users get an explanatory error. */
export async function deleteOrganization(db: Db, idOrName: string): Promise<string> {
  const { id } = await organizationNamed(db, idOrName);
  await db.transaction(async (trx) => {
    await trx.run(organizations.remove, { id });
    await auditOperator(trx, 'organization.delete', id, id);
  });
  return id;
}

export async function setFeature(
  db: Db,
  { organization, feature, enabled }: { organization: string | undefined; feature: string; enabled: boolean },
): Promise<void> {
  const known: readonly string[] = features;
  if (!known.includes(feature))
    throw new OperatorProblem(`No feature ${feature}. Available: ${features.join(', ')}`);
  const { id: organizationId } = await organizationNamed(db, organization);
  const change = enabled ? organizations.addFeature : organizations.removeFeature;
  await db.transaction(async (trx) => {
    await trx.run(change, { organizationId, feature });
    await auditOperator(trx, enabled ? 'feature.enable' : 'feature.disable', feature, organizationId);
  });
}

export async function setPlan(db: Db, organization: string | undefined, plan: string): Promise<void> {
  const { id } = await organizationNamed(db, organization);
  if (!(await db.row(plans.find, { name: plan })))
    throw new OperatorProblem(`No plan ${plan}. See: drydock plans list`);
  await db.transaction(async (trx) => {
    await trx.run(organizations.setPlan, { id, plan });
    await auditOperator(trx, 'organization.set-plan', plan, id);
  });
}
