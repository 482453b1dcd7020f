import { sameJson } from '../../../platform/canonical.ts';
import type { Db } from '../../../platform/database/database.ts';
import * as cases from '../../../platform/database/queries/eval-cases.ts';
import { notFound } from '../../base/refusals.ts';
import type { ProjectContext } from '../../context/context.ts';
import { addCase, changeCase, type SuiteSize, suiteSize } from '../../eval-suites/cases/add.ts';
import { type CaseDefinition, contentHash } from '../../eval-suites/cases/definition.ts';
import { refuseOwned, type Suite, writeRevision } from '../../eval-suites/suite.ts';

export type Test = { title: string; definition: CaseDefinition };

/** The cases to run: the inline cases of the request, which are saved; or the suite's cases named by ID, or all. */
export async function casesOfRun(
  context: ProjectContext,
  db: Db,
  suite: Suite,
  { tests, caseIds }: { tests?: Test[] | undefined; caseIds?: string[] | undefined },
): Promise<{ rows: cases.CaseRow[]; committed: { id: string; name: string }[]; revision: number }> {
  if (!tests)
    return { rows: await casesNamed(db, suite.id, caseIds), committed: [], revision: suite.revision };
  const { rows, revision } = await casesWritten(context, db, suite, tests);
  return { rows, committed: rows.map(({ id, title }) => ({ id, name: title })), revision };
}

/** The cases of a suite, or those of them that are named. */
export async function casesNamed(
  db: Db,
  suiteId: string,
  caseIds: string[] | undefined,
): Promise<cases.CaseRow[]> {
  const rows = await db.rows(cases.all, { suiteId, ids: caseIds ?? null });
  if (caseIds && rows.length === 0) throw notFound('case');
  return rows;
}

/** Saves the cases of a request to the suite: new ones are added, different ones changed. */
async function casesWritten(
  context: ProjectContext,
  db: Db,
  suite: Suite,
  tests: readonly Test[],
): Promise<{ rows: cases.CaseRow[]; revision: number }> {
  const suiteId = suite.id;
  const hashes = tests.map(({ title, definition }) => contentHash(title, definition));
  const known = await db.rows(cases.withContent, { suiteId, hashes });
  const rows: cases.CaseRow[] = [];
  let taken: SuiteSize | undefined;
  for (const [index, { title, definition }] of tests.entries()) {
    const hash = hashes[index] as string;
    const twin = known.find(({ contentHash: other }) => other === hash);
    const wanted = twin ? { ...keptOf(twin.definition as CaseDefinition), ...definition } : definition;
    if (twin && sameJson(twin.definition, wanted)) {
      rows.push(twin);
      continue;
    }
    refuseOwned(suite, undefined, 'Omit tests, or edit the suite file');
    taken ??= await suiteSize(db, suiteId);
    const changed = { title, definition: wanted };
    rows.push(
      twin
        ? await changeCase(db, twin, changed, taken)
        : await addCase(context, db, suiteId, { ...changed, twins: true }, taken),
    );
  }
  if (!taken) return { rows, revision: suite.revision };
  const { revision } = await writeRevision(context, db, suite, {}, { changedFields: ['cases'] });
  return { rows, revision };
}

/** Fields that a case in a request cannot set, so a change keeps them. */
function keptOf(before: CaseDefinition) {
  const { repetitions, passThreshold, kind, judge, import: claim, source, disabled } = before;
  return {
    ...(repetitions !== undefined && { repetitions }),
    ...(passThreshold !== undefined && { passThreshold }),
    ...(kind !== undefined && { kind }),
    ...(judge !== undefined && { judge }),
    ...(claim !== undefined && { import: claim }),
    ...(source !== undefined && { source }),
    ...(disabled !== undefined && { disabled }),
  };
}
