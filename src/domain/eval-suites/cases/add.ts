import { randomBytes } from 'node:crypto';
import { Refusal } from '../../../contract/errors.ts';
import type { Clock } from '../../../platform/clock.ts';
import { byColumn } from '../../../platform/database/columns.ts';
import type { Db } from '../../../platform/database/database.ts';
import * as cases from '../../../platform/database/queries/eval-cases.ts';
import { newId } from '../../../platform/ids.ts';
import { conflict, invalid } from '../../base/refusals.ts';
import { type CaseDefinition, contentHash } from './definition.ts';

/** Maximum number of cases of a suite. */
const maxCases = 1000;
/** Characters of JSON per case, and per suite, since the cases of a suite are read and run together. */
export const largestCase = 262_144;
const largestSuite = 16_777_216;

/** A new case, with optional fields to recognize a repeated one. */
export interface NewCase {
  title: string;
  declaredId?: string | undefined;
  definition: CaseDefinition;
  idempotencyKey?: string | undefined;
  requestHash?: string | undefined;
  /** Allows an existing case with the same content. */
  twins?: boolean;
}

/** Number and size of a suite's cases. Read once under the suite's lock, then updated with each write. */
export interface SuiteSize {
  count: number;
  size: number;
}

export function suiteSize(db: Db, suiteId: string): Promise<SuiteSize> {
  return db.one(cases.size, { suiteId });
}

/** Adds a case to a suite the caller has locked. */
export async function addCase(
  { clock, project }: { clock: Clock; project: { id: string } },
  db: Db,
  suiteId: string,
  given: NewCase,
  taken: SuiteSize,
): Promise<cases.CaseRow> {
  const { title, declaredId, definition, idempotencyKey = null, requestHash = null } = given;
  if (declaredId !== undefined && (await db.row(cases.byDeclaredId, { suiteId, declaredId })))
    throw conflict(`Another case of this suite has the ID ${declaredId}`, 'DUPLICATE_CASE_ID');
  const hash = contentHash(title, definition);
  if (!given.twins) {
    const twin = await db.row(cases.byContent, { suiteId, contentHash: hash });
    if (twin)
      throw conflict(`The case ${twin.id} has the same title and steps`, 'DUPLICATE_CONTENT', {
        caseId: twin.id,
      });
  }
  if (taken.count >= maxCases)
    throw conflict(`A suite can have at most ${maxCases} cases`, 'LIMIT_REACHED', { limit: maxCases });
  takeRoom(taken, definition);
  taken.count++;
  return db.one(cases.insert, {
    id: newId('case', clock()),
    suiteId,
    projectId: project.id,
    declaredId: declaredId ?? mintedId(),
    title,
    definition,
    contentHash: hash,
    idempotencyKey,
    requestHash,
  });
}

interface NewRow {
  id: string;
  declaredId: string;
  title: string;
  definition: string;
  contentHash: string;
  nth: number;
}

/** Adds the cases whose IDs are new to a suite the caller has locked, up to its limits. The rest are skipped. */
export async function addCases(
  { project }: { project: { id: string } },
  db: Db,
  suiteId: string,
  given: readonly (Required<Pick<NewCase, 'title' | 'declaredId' | 'definition'>> & { id: string })[],
): Promise<void> {
  const taken = await suiteSize(db, suiteId);
  const rows: NewRow[] = [];
  for (const { id, title, declaredId = mintedId(), definition } of given) {
    const json = JSON.stringify(definition);
    if (taken.count >= maxCases || json.length > largestCase || taken.size + json.length > largestSuite)
      continue;
    taken.count++;
    taken.size += json.length;
    rows.push({
      id,
      declaredId,
      title,
      definition: json,
      contentHash: contentHash(title, definition),
      nth: rows.length,
    });
  }
  if (rows.length > 0) await db.run(cases.insertMany, { ...byColumn(rows), suiteId, projectId: project.id });
}

/** Changes a case of a suite the caller has locked. */
export async function changeCase(
  db: Db,
  { suiteId, id, definition: before }: cases.CaseRow,
  { title, definition }: Pick<NewCase, 'title' | 'definition'>,
  taken: SuiteSize,
): Promise<cases.CaseRow> {
  takeRoom(taken, definition, before);
  return db.one(cases.update, {
    suiteId,
    id,
    title,
    definition,
    contentHash: contentHash(title, definition),
  });
}

function takeRoom(taken: SuiteSize, definition: CaseDefinition, before?: unknown): void {
  const { length } = JSON.stringify(definition);
  if (length > largestCase)
    throw invalid(`A case is at most ${largestCase.toLocaleString('en')} characters of JSON`);
  const size = taken.size + length - (before === undefined ? 0 : JSON.stringify(before).length);
  if (size > largestSuite)
    throw conflict(
      `The cases of a suite are at most ${largestSuite.toLocaleString('en')} characters of JSON together. Use another suite`,
      'LIMIT_REACHED',
      { limit: largestSuite },
    );
  taken.size = size;
}

/** ID for a case whose author gave none. */
function mintedId(): string {
  return `c_${randomBytes(16).toString('base64url').slice(0, 21)}`;
}

/** Whether the case itself was refused, as opposed to an unexpected error. */
export function isCaseRefusal(error: unknown): error is Refusal {
  return error instanceof Refusal && (error.code === 'VALIDATION_ERROR' || error.code === 'CONFLICT');
}
