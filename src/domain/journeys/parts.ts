import { Refusal } from '../../contract/errors.ts';
import type { SessionRubric } from '../../contract/rubrics.ts';
import { authoringProblem } from '../../evaluation/index.ts';
import type { Db } from '../../platform/database/database.ts';
import * as clients from '../../platform/database/queries/clients.ts';
import * as environments from '../../platform/database/queries/environments.ts';
import * as groups from '../../platform/database/queries/server-groups.ts';
import type { ProjectContext } from '../context/context.ts';

/** References in a request for a journey or swarm. */
export interface NamedParts {
  rubric?: SessionRubric | null | undefined;
  environmentIds?: readonly string[] | null | undefined;
  hostIds?: readonly string[] | undefined;
  serverAttachmentId?: string | null | undefined;
}

/** Checks that everything referenced exists in the project and that the rubric can be evaluated. */
export async function checkParts(
  { project }: ProjectContext,
  db: Db,
  { environmentIds, hostIds = [], serverAttachmentId, rubric }: NamedParts,
): Promise<void> {
  checkRubric(rubric);
  const projectId = project.id;
  for (const id of environmentIds ?? []) {
    const environment = await db.row(environments.find, { projectId, id });
    if (!environment || environment.archivedAt !== null) throw unknown('environmentIds', 'environment', id);
  }
  for (const id of hostIds)
    if (!(await db.row(clients.find, { projectId, id }))) throw unknown('hostIds', 'client', id);
  if (serverAttachmentId && !(await db.row(groups.find, { projectId, id: serverAttachmentId })))
    throw unknown('serverAttachmentId', 'server group', serverAttachmentId);
}

/** Refuses checks that are well-formed but cannot be evaluated, such as one with an invalid pattern. */
function checkRubric(rubric: SessionRubric | null | undefined): void {
  for (const [at, { predicate }] of (rubric?.criteria ?? []).entries()) {
    const problem = authoringProblem(predicate);
    if (!problem) continue;
    const where = ['rubric', 'criteria', at, 'predicate', ...problem.path].join('.');
    throw new Refusal('VALIDATION_ERROR', `${where}: ${problem.message}`);
  }
}

export function unknown(field: string, thing: string, id: string): Refusal {
  return new Refusal('NOT_FOUND', `${field}: No such ${thing} in this project`, { details: { field, id } });
}
