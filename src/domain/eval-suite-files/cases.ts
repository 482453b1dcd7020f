import { setImmediate } from 'node:timers/promises';
import { sameJson } from '../../platform/canonical.ts';
import type { Db } from '../../platform/database/database.ts';
import * as cases from '../../platform/database/queries/eval-cases.ts';
import { problemsFound } from '../../suite-files/problem.ts';
import type { ReadSuiteFile } from '../../suite-files/read.ts';
import type { ProjectContext } from '../context/context.ts';
import { addCase, changeCase, isCaseRefusal, type SuiteSize, suiteSize } from '../eval-suites/cases/add.ts';
import type { CaseDefinition } from '../eval-suites/cases/definition.ts';
import { definitionIn } from './definition.ts';

interface Counts {
  created: number;
  updated: number;
  deleted: number;
  unchanged: number;
  disabled: number;
}

interface Wanted {
  declaredId: string;
  title: string;
  definition: CaseDefinition;
}

/** Updates the cases of a suite the caller has locked to match the file, including their order. */
export async function syncCases(
  context: ProjectContext,
  db: Db,
  suiteId: string,
  { file, places }: ReadSuiteFile,
): Promise<{ counts: Counts; changed: boolean }> {
  const before = await db.rows(cases.all, { suiteId, ids: null });
  const listed = new Set(file.cases.map(({ id }) => id));
  const stale = before.filter(({ declaredId }) => !listed.has(declaredId));
  for (const { id } of stale) await db.run(cases.remove, { suiteId, id });
  const kept = new Map(before.map((row) => [row.declaredId, row]));
  const counts: Counts = { created: 0, updated: 0, deleted: stale.length, unchanged: 0, disabled: 0 };
  const taken = await suiteSize(db, suiteId);
  const order: string[] = [];
  for (const [at, one] of file.cases.entries()) {
    const wanted = {
      declaredId: one.id,
      title: one.title,
      definition: definitionIn(one, file.schemaVersion),
    };
    try {
      const { id, what } = await writeCase(context, db, suiteId, kept.get(one.id), wanted, taken);
      order.push(id);
      counts[what]++;
    } catch (error) {
      if (!isCaseRefusal(error)) throw error;
      const path = `cases.${at}`;
      throw problemsFound([{ line: 1, column: 1, ...places[path], path, message: error.message }]);
    }
    if (wanted.definition.disabled) counts.disabled++;
    // Comparing is slow, so it yields after each case.
    await setImmediate();
  }
  const reordered = !isOrdered(order, before);
  if (reordered) await db.run(cases.reorder, { suiteId, ids: order });
  return { counts, changed: reordered || counts.created + counts.updated + counts.deleted > 0 };
}

async function writeCase(
  context: ProjectContext,
  db: Db,
  suiteId: string,
  row: cases.CaseRow | undefined,
  wanted: Wanted,
  taken: SuiteSize,
): Promise<{ id: string; what: 'created' | 'updated' | 'unchanged' }> {
  if (!row) {
    const { id } = await addCase(context, db, suiteId, { ...wanted, twins: true }, taken);
    return { id, what: 'created' };
  }
  const same = row.title === wanted.title && sameJson(row.definition, wanted.definition);
  if (!same) await changeCase(db, row, wanted, taken);
  return { id: row.id, what: same ? 'unchanged' : 'updated' };
}

/** Whether existing cases keep their order and come before all new ones. */
function isOrdered(order: readonly string[], before: readonly cases.CaseRow[]): boolean {
  const wanted = new Set(order);
  const old = before.filter(({ id }) => wanted.has(id));
  return old.every(({ id }, at) => order[at] === id);
}
