import type { Db } from '../../platform/database/database.ts';
import * as suites from '../../platform/database/queries/eval-suites.ts';
import type { ProjectContext } from '../context/context.ts';
import { addSuite } from '../eval-suites/create.ts';
import { newSettings } from '../eval-suites/settings.ts';
import { type Suite, suiteOf } from '../eval-suites/suite.ts';
import type { Header } from './header.ts';

/** Finds the suite of this name, or creates one managed by reports. Locks it for the transaction. */
export async function suiteCalled(context: ProjectContext, db: Db, header: Header): Promise<Suite> {
  const projectId = context.project.id;
  const name = header.suiteName;
  const known = await db.row(suites.lockByName, { projectId, name });
  if (known) return suiteOf(known);
  // Locks by name only before creating, since the lock is held until all results are written.
  await db.row(suites.lockNames, { projectId });
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
      // The reporter has judged already, so the suite has no checks.
      settings: { ...settings, checks: [] },
    },
    { managedBy: 'ci' },
  );
}

/** Only suites created by reports get cases from reports, not those written by a person or declared in a file. */
export function ownsItsCases({ managedBy, declaredId }: Suite): boolean {
  return managedBy === 'ci' && declaredId === null;
}
