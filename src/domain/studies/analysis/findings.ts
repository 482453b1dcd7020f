import type { Operations } from '../../../contract/index.ts';
import type { OutputOf } from '../../../contract/operation.ts';
import { candidateTitle } from '../../../evaluation/index.ts';
import { studyFindings } from '../../../platform/database/queries/findings.ts';
import { writeInProject } from '../../access.ts';
import { audit } from '../../audit.ts';
import type { ProjectContext } from '../../context.ts';
import { pageOfFindings } from '../../findings/page.ts';
import { found } from '../../refusals.ts';
import type { Verb } from '../../verb.ts';
import { studyOf } from '../sessions.ts';

type Finding = OutputOf<Operations['listStudyFindings']>['items'][number];

export const listStudyFindings: Verb<'listStudyFindings'> = async (context, { studyId, ...page }) => {
  await studyOf(context, studyId);
  const place = { name: 'study-findings', findings: studyFindings, ownerId: studyId };
  return pageOfFindings(context, page, place, ({ lastSeenWaveId, ...row }, waves): Finding => {
    const subject = row.subject as Finding['subject'];
    const detector = row.fingerprint.slice(0, row.fingerprint.indexOf(':'));
    return {
      ...row,
      subject,
      title: candidateTitle({ detector, subject }),
      lastSeenWindowId: lastSeenWaveId,
      windows: waves.map(({ waveId, at, affected, total, fired }) => ({
        windowId: waveId,
        at,
        affected,
        total,
        fired,
      })),
    };
  });
};

export const dismissStudyFinding: Verb<'dismissStudyFinding'> = (context, input) =>
  setDismissed(context, input, true);

export const undismissStudyFinding: Verb<'undismissStudyFinding'> = (context, input) =>
  setDismissed(context, input, false);

function setDismissed(
  context: ProjectContext,
  { studyId, findingId: id }: { studyId: string; findingId: string },
  dismissed: boolean,
): Promise<OutputOf<Operations['dismissStudyFinding']>> {
  return writeInProject(context, async (db) => {
    const { project } = context;
    await studyOf({ db, project }, studyId);
    found(await db.row(studyFindings.dismiss, { ownerId: studyId, id, dismissed }), 'finding');
    await audit(db, context, dismissed ? 'study-finding.dismiss' : 'study-finding.undismiss', id);
    return { id, studyId, projectId: project.id, dismissed };
  });
}
