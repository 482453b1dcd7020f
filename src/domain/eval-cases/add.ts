import { randomBytes } from 'node:crypto';
import { Refusal } from '../../contract/errors.ts';
import type { Db } from '../../platform/database/database.ts';
import * as cases from '../../platform/database/queries/eval-cases.ts';
import { newId } from '../../platform/ids.ts';
import type { ProjectContext } from '../context.ts';
import { conflict } from '../refusals.ts';
import { type CaseDefinition, contentHash } from './definition.ts';

/** What clients read in one page. */
const mostCases = 1000;

/** A new case and how it may be recognized when it comes again. */
export interface NewCase {
  title: string;
  declaredId?: string | undefined;
  definition: CaseDefinition;
  idempotencyKey?: string | undefined;
  requestHash?: string | undefined;
  /** Whether one that does the same may be there already. */
  twins?: boolean;
}

/** Adds to a suite that the caller has locked. */
export async function addCase(
  { clock, project }: Pick<ProjectContext, 'clock' | 'project'>,
  db: Db,
  suiteId: string,
  given: NewCase,
): Promise<cases.CaseRow> {
  const { title, declaredId, definition, idempotencyKey = null, requestHash = null } = given;
  if (declaredId !== undefined && (await db.row(cases.byDeclaredId, { suiteId, declaredId })))
    throw conflict(`Another case of this suite has the id ${declaredId}`, 'DUPLICATE_CASE_ID');
  const hash = contentHash(title, definition);
  if (!given.twins) {
    const twin = await db.row(cases.byContent, { suiteId, contentHash: hash });
    if (twin)
      throw conflict(`The case ${twin.id} has the same title and steps`, 'DUPLICATE_CONTENT', {
        caseId: twin.id,
      });
  }
  if ((await db.one(cases.count, { suiteId })).count >= mostCases)
    throw conflict(`A suite holds at most ${mostCases} cases`, 'LIMIT_REACHED', { limit: mostCases });
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

/** For a case that its author has no name for. */
function mintedId(): string {
  return `c_${randomBytes(16).toString('base64url').slice(0, 21)}`;
}

/** Refused for what a case is, rather than for what went wrong. */
export function isCaseRefusal(error: unknown): error is Refusal {
  return error instanceof Refusal && (error.code === 'VALIDATION_ERROR' || error.code === 'CONFLICT');
}
