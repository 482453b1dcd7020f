import { sameJson } from '../../../platform/canonical.ts';
import type { Db } from '../../../platform/database/database.ts';
import * as cases from '../../../platform/database/queries/eval-cases.ts';
import type { ProjectContext } from '../../context.ts';
import { addCase, changeCase, type Taken, takenIn } from '../../eval-cases/add.ts';
import { type CaseDefinition, contentHash } from '../../eval-cases/definition.ts';
import { refuseOwned, type Suite, writeRevision } from '../../eval-suites/suite.ts';
import { notFound } from '../../refusals.ts';

type Test = { title: string; definition: CaseDefinition };

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

/** Cases that came with a request as they stand in its suite afterwards: what is new is added, what differs is changed. */
export async function casesWritten(
  context: ProjectContext,
  db: Db,
  suite: Suite,
  tests: readonly Test[],
): Promise<{ rows: cases.CaseRow[]; revision: number }> {
  const suiteId = suite.id;
  const hashes = tests.map(({ title, definition }) => contentHash(title, definition));
  const known = await db.rows(cases.withContent, { suiteId, hashes });
  const rows: cases.CaseRow[] = [];
  let taken: Taken | undefined;
  for (const [index, { title, definition }] of tests.entries()) {
    const hash = hashes[index] as string;
    const twin = known.find(({ contentHash: other }) => other === hash);
    const wanted = twin ? { ...keptOf(twin.definition as CaseDefinition), ...definition } : definition;
    if (twin && sameJson(twin.definition, wanted)) {
      rows.push(twin);
      continue;
    }
    refuseOwned(suite, undefined, 'Leave tests out, or change the file');
    taken ??= await takenIn(db, suiteId);
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

/** What a case inside a request cannot say. */
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
