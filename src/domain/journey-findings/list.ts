import type { Operations } from '../../contract/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import { journeyFindings } from '../../platform/database/queries/findings.ts';
import { writeInProject } from '../access.ts';
import { audit } from '../audit.ts';
import type { ProjectContext } from '../context.ts';
import { pageOfFindings } from '../findings/page.ts';
import { found } from '../refusals.ts';
import type { Verb } from '../verb.ts';

type Finding = OutputOf<Operations['listSwarmFindings']>['items'][number];

export const listSwarmFindings: Verb<'listSwarmFindings'> = (context, page) => {
  const place = { name: 'journey-findings', findings: journeyFindings, ownerId: context.project.id };
  return pageOfFindings(
    context,
    page,
    place,
    (row, waves): Finding => ({
      ...row,
      subject: row.subject as Finding['subject'],
      waves: waves.map(({ waveId, at, affected, total, fired }) => ({ waveId, at, affected, total, fired })),
    }),
  );
};

export const dismissSwarmFinding: Verb<'dismissSwarmFinding'> = (context, { findingId }) =>
  setDismissed(context, findingId, true);

export const undismissSwarmFinding: Verb<'undismissSwarmFinding'> = (context, { findingId }) =>
  setDismissed(context, findingId, false);

function setDismissed(
  context: ProjectContext,
  id: string,
  dismissed: boolean,
): Promise<OutputOf<Operations['dismissSwarmFinding']>> {
  return writeInProject(context, async (db) => {
    const projectId = context.project.id;
    found(await db.row(journeyFindings.dismiss, { ownerId: projectId, id, dismissed }), 'finding');
    await audit(db, context, dismissed ? 'journey-finding.dismiss' : 'journey-finding.undismiss', id);
    return { id, projectId, dismissed };
  });
}
