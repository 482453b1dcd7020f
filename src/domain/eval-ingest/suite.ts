import type { Db } from '../../platform/database/database.ts';
import * as suites from '../../platform/database/queries/eval-suites.ts';
import type { ProjectContext } from '../context.ts';
import { addSuite } from '../eval-suites/create.ts';
import { newSettings } from '../eval-suites/settings.ts';
import { type Suite, suiteOf } from '../eval-suites/suite.ts';
import type { Header } from './header.ts';

/** The suite of this name, or a new one that belongs to those who report to it. Held in the transaction. */
export async function suiteCalled(context: ProjectContext, db: Db, header: Header): Promise<Suite> {
  const projectId = context.project.id;
  const name = header.suiteName;
  const known = await db.row(suites.lockByName, { projectId, name });
  if (known) return suiteOf(known);
  // Only those that make one wait for each other: it takes as long as all their results take to be written.
  await db.row(suites.lineUpByName, { projectId });
  const meanwhile = await db.row(suites.lockByName, { projectId, name });
  if (meanwhile) return suiteOf(meanwhile);
  const settings = newSettings({ passCriteria: header.passCriteria ?? undefined });
  return addSuite(
    context,
    db,
    {
      name,
      description: header.suiteDescription ?? null,
      serverIds: [],
      execution: null,
      hosts: [],
      // Whoever reports has judged already.
      settings: { ...settings, checks: [] },
    },
    { managedBy: 'ci' },
  );
}

/** Cases of a suite that somebody wrote are not added to by reports. */
export function ownsItsCases({ managedBy, declaredId }: Suite): boolean {
  return managedBy === 'ci' && declaredId === null;
}
