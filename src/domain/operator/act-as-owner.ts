import type { Db } from '../../platform/database/database.ts';
import * as members from '../../platform/database/queries/members.ts';
import { OperatorProblem } from '../../platform/problem.ts';
import { projectNamed } from './find.ts';

/** A project, and the account the operator acts as in it: the first owner of its organization. */
export async function ownerOfProject(
  db: Db,
  idOrName: string | undefined,
): Promise<{ projectId: string; organizationId: string; userId: string }> {
  const { id: projectId, organizationId } = await projectNamed(db, idOrName);
  const all = await db.rows(members.list, { organizationId });
  const owner = all.find(({ role }) => role === 'owner');
  if (!owner)
    throw new OperatorProblem(
      'The organization of this project has no owner. Set one with: drydock members set',
    );
  return { projectId, organizationId, userId: owner.userId };
}
