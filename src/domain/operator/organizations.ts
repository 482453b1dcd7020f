import type { Db } from '../../platform/database/database.ts';
import { setOrganizationMember } from '../../platform/database/queries/members.ts';
import {
  deleteOrganization as deleteRow,
  insertOrganization,
  setFeature as setFeatureRow,
  setOrganizationPlan,
} from '../../platform/database/queries/organizations.ts';
import { findPlan } from '../../platform/database/queries/plans.ts';
import { insertProject } from '../../platform/database/queries/projects.ts';
import { newId } from '../../platform/ids.ts';
import { OperatorProblem } from '../../platform/problem.ts';
import { auditOperator } from '../audit.ts';
import { organizationNamed, userNamed } from './find.ts';

/** What an operator can switch on per organization. */
export const features = ['swarms', 'user-testing'] as const;

/** A new organization has an owner and a Default project from the start. */
export async function createOrganization(
  db: Db,
  input: { name: string; owner: string },
): Promise<{ id: string; defaultProjectId: string }> {
  const owner = await userNamed(db, input.owner);
  const id = newId('org');
  const defaultProjectId = newId('prj');
  await db.transaction(async (trx) => {
    await insertOrganization(trx, id, input.name, owner.id);
    await setOrganizationMember(trx, id, owner.id, 'owner');
    await insertProject(trx, { id: defaultProjectId, organizationId: id, name: 'Default', isDefault: true });
    await auditOperator(trx, 'organization.create', id, id);
  });
  return { id, defaultProjectId };
}

/** Its keys stay behind as orphans, so that whoever still uses one is told why it fails. */
export async function deleteOrganization(db: Db, idOrName: string): Promise<string> {
  const { id } = await organizationNamed(db, idOrName);
  await db.transaction(async (trx) => {
    await deleteRow(trx, id);
    await auditOperator(trx, 'organization.delete', id, id);
  });
  return id;
}

export async function setFeature(
  db: Db,
  input: { organization: string | undefined; feature: string; enabled: boolean },
): Promise<void> {
  const known: readonly string[] = features;
  if (!known.includes(input.feature))
    throw new OperatorProblem(`No feature ${input.feature}. There are: ${features.join(', ')}`);
  const { id } = await organizationNamed(db, input.organization);
  await db.transaction(async (trx) => {
    await setFeatureRow(trx, id, input.feature, input.enabled);
    await auditOperator(trx, input.enabled ? 'feature.enable' : 'feature.disable', input.feature, id);
  });
}

export async function setPlan(db: Db, organization: string | undefined, plan: string): Promise<void> {
  const { id } = await organizationNamed(db, organization);
  if (!(await findPlan(db, plan))) throw new OperatorProblem(`No plan ${plan}. See: drydock plans list`);
  await db.transaction(async (trx) => {
    await setOrganizationPlan(trx, id, plan);
    await auditOperator(trx, 'organization.set-plan', plan, id);
  });
}
