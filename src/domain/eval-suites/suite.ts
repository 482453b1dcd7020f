import { sameJson } from '../../platform/canonical.ts';
import type { Db } from '../../platform/database/database.ts';
import * as suites from '../../platform/database/queries/eval-suites.ts';
import { newId } from '../../platform/ids.ts';
import { conflict, found } from '../base/refusals.ts';
import { writeInProject } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { InProject, ProjectContext } from '../context/context.ts';
import { checkGateBaseline } from './gate-baseline.ts';
import type { SuiteSettings } from './settings.ts';

interface Execution {
  model?: string | undefined;
  provider?: string | undefined;
  systemPrompt?: string | undefined;
  temperature?: number | undefined;
}

/** A client attached to a suite, with the servers that replace its own. */
export interface SuiteHost {
  id: string;
  servers?: string[];
}

/** A suite with typed JSON columns. */
export type Suite = Omit<suites.SuiteRow, 'settings' | 'execution' | 'hosts'> & {
  settings: SuiteSettings;
  execution: Execution | null;
  hosts: SuiteHost[];
};

/** The fields an author can edit. */
export type SuiteFields = { -readonly [Field in keyof suites.SuiteFields]: Suite[Field] };

/** Names of the fields that differ. Ignores key order, which the database does not keep. */
export function changedNames(suite: Suite, fields: Partial<SuiteFields>): string[] {
  return Object.entries(fields)
    .filter(([name, value]) => !sameJson(suite[name as keyof Suite], value))
    .map(([name]) => name);
}

export function suiteOf(row: suites.SuiteRow): Suite {
  return row as Suite;
}

export async function findSuite({ db, project }: InProject, id: string): Promise<Suite> {
  return suiteOf(found(await db.row(suites.find, { projectId: project.id, id }), 'suite'));
}

/** A write to a suite and its preconditions. */
interface Write {
  suiteId: string;
  action: string;
  /** The suite's ID in the file that owns it. */
  declaredSuiteId?: string | undefined;
  /** Allows the write for suites managed by reports, which have no declared ID a caller could send. */
  withoutIdToo?: boolean;
  expectedRevision?: number | undefined;
}

/**
 * Locks the suite in a transaction, does the work and writes the audit entry. Refuses if the suite is managed by a file
 * or by reports (see `refuseOwned`), or if its revision is not the expected one.
 */
export function withSuite<T>(
  context: ProjectContext,
  { suiteId, action, declaredSuiteId, withoutIdToo, expectedRevision }: Write,
  work: (db: Db, suite: Suite) => Promise<T>,
): Promise<T> {
  return writeInProject(context, async (db) => {
    const which = { projectId: context.project.id, id: suiteId };
    const suite = suiteOf(found(await db.row(suites.lock, which), 'suite'));
    if (suite.declaredId !== null || !withoutIdToo) refuseOwned(suite, declaredSuiteId);
    if (expectedRevision !== undefined && suite.revision !== expectedRevision)
      throw conflict('The suite has changed. Reload it and repeat the edit', 'SUITE_REVISION_CONFLICT', {
        currentRevisionNumber: suite.revision,
      });
    const result = await work(db, suite);
    await audit(db, context, action, suiteId);
    return result;
  });
}

/** A suite owned by a file may be changed only with the file's ID for it; a suite that stores reported results, not at all. */
export function refuseOwned(
  { managedBy, declaredId }: Suite,
  declaredSuiteId: string | undefined,
  remedy = 'Edit the file, or send its ID as declaredSuiteId',
): void {
  if (managedBy !== 'ci' || declaredId === (declaredSuiteId ?? '')) return;
  const why =
    declaredId === null
      ? 'This suite only stores reported results. Create another suite to add cases'
      : `This suite is managed by a suite file. ${remedy}`;
  throw conflict(why, 'CI_OWNED_SUITE_READ_ONLY');
}

export type RevisionSource = 'ui' | 'api' | 'system' | 'file_sync';

/** Default source of a change: the console, or the API. */
export function sourceOf({ sessionId }: { sessionId?: string | undefined }): RevisionSource {
  return sessionId === undefined ? 'api' : 'ui';
}

interface Revision {
  changedFields: string[];
  note?: string | undefined;
  source?: RevisionSource;
}

/** Writes the fields as the next revision of the suite. */
export async function writeRevision(
  { actor }: Pick<ProjectContext, 'actor'>,
  db: Db,
  suite: Suite,
  fields: Partial<suites.SuiteFields>,
  { changedFields, note, source = sourceOf(actor) }: Revision,
): Promise<Suite> {
  const { projectId, id } = suite;
  const after = { ...suite, ...fields };
  await checkGateBaseline(db, projectId, after.settings as SuiteSettings, suite.settings);
  const { name, description, serverIds, execution, hosts, environmentIds, settings, provenance } = after;
  const row = await db.one(suites.update, {
    projectId,
    id,
    name,
    description,
    serverIds,
    execution,
    hosts,
    environmentIds,
    settings,
    provenance,
  });
  await db.run(suites.insertRevision, {
    id: newId('rev'),
    suiteId: id,
    number: row.revision,
    source,
    createdBy: actor.user.id,
    note: note ?? null,
    changedFields,
    groupId: null,
  });
  return suiteOf(row);
}
