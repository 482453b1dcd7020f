import type { Operations } from '../../contract/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import { writeInProject } from '../context/access.ts';
import type { ProjectContext } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { pageOfFindings, setDismissed } from '../insights/findings.ts';

type Finding = OutputOf<Operations['listSwarmFindings']>['items'][number];
type Dismissal = OutputOf<Operations['dismissSwarmFinding']>;

export const listSwarmFindings: Verb<'listSwarmFindings'> = (context, page) =>
  pageOfFindings(
    context,
    page,
    { kind: 'journey', id: context.project.id },
    (row, waves): Finding => ({ ...row, subject: row.subject as Finding['subject'], waves }),
  );

export const dismissSwarmFinding: Verb<'dismissSwarmFinding'> = (context, { findingId }) =>
  set(context, findingId, true);

export const undismissSwarmFinding: Verb<'undismissSwarmFinding'> = (context, { findingId }) =>
  set(context, findingId, false);

function set(context: ProjectContext, id: string, dismissed: boolean): Promise<Dismissal> {
  return writeInProject(context, async (db) => {
    const projectId = context.project.id;
    await setDismissed(context, db, { kind: 'journey', id: projectId }, id, dismissed);
    return { id, projectId, dismissed };
  });
}
