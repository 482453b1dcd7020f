import { sameJson } from '../../platform/canonical.ts';
import type { Db } from '../../platform/database/database.ts';
import * as suites from '../../platform/database/queries/eval-suites.ts';
import { newId } from '../../platform/ids.ts';
import { writeInProject } from '../access.ts';
import { audit } from '../audit.ts';
import type { InProject, ProjectContext } from '../context.ts';
import { conflict, found } from '../refusals.ts';
import { checkGateBaseline } from './gate-baseline.ts';
import type { SuiteSettings } from './settings.ts';

interface Execution {
  model?: string | undefined;
  provider?: string | undefined;
  systemPrompt?: string | undefined;
  temperature?: number | undefined;
}

/** A client that runs of a suite can be made with, and the servers it then uses instead of its own. */
export interface SuiteHost {
  id: string;
  servers?: string[];
}

/** A suite with what the database keeps as JSON. */
export type Suite = Omit<suites.SuiteRow, 'settings' | 'execution' | 'hosts'> & {
  settings: SuiteSettings;
  execution: Execution | null;
  hosts: SuiteHost[];
};

/** What an author decides. */
export type SuiteFields = { -readonly [Field in keyof suites.SuiteFields]: Suite[Field] };

/** Which of these fields differ. The database keeps the keys of JSON in an order of its own, which is no change. */
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

/** Which suite is written to, and what has to be true of it. */
interface Write {
  suiteId: string;
  action: string;
  /** What the file that owns the suite calls it. */
  declaredSuiteId?: string | undefined;
  /** Allowed to everybody when the owner of the suite gave it no id that could be sent. */
  withoutIdToo?: boolean;
  expectedRevision?: number | undefined;
}

/** Holds the suite in a transaction; refused when a file owns it, or somebody else has written to it. */
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
      throw conflict(
        'Somebody has changed the suite. Read it again, then repeat the edit',
        'SUITE_REVISION_CONFLICT',
        { currentRevisionNumber: suite.revision },
      );
    const result = await work(db, suite);
    await audit(db, context, action, suiteId);
    return result;
  });
}

/** What a file owns is changed in the file, or by whoever sends the id that the file gives it. */
export function refuseOwned(
  { managedBy, declaredId }: Suite,
  declaredSuiteId: string | undefined,
  remedy = 'Change the file, or send its id as declaredSuiteId',
): void {
  if (managedBy !== 'ci' || declaredId === (declaredSuiteId ?? '')) return;
  const why =
    declaredId === null
      ? 'This suite holds what is reported to it. Make another one to write cases'
      : `A suite file owns this suite. ${remedy}`;
  throw conflict(why, 'CI_OWNED_SUITE_READ_ONLY');
}

export type RevisionSource = 'ui' | 'api' | 'system' | 'file_sync';

/** Where a change comes from that nobody says it of: a person at the console, or a key. */
export function sourceOf({ sessionId }: { sessionId?: string | undefined }): RevisionSource {
  return sessionId === undefined ? 'api' : 'ui';
}

interface Revision {
  changedFields: string[];
  note?: string | undefined;
  source?: RevisionSource;
}

/** The suite with these fields as its next revision. */
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
