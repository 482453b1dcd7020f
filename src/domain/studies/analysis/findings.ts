import type { Operations } from '../../../contract/index.ts';
import type { OutputOf } from '../../../contract/operation.ts';
import { candidateTitle } from '../../../evaluation/index.ts';
import { writeInProject } from '../../context/access.ts';
import type { ProjectContext } from '../../context/context.ts';
import type { Verb } from '../../context/verb.ts';
import { pageOfFindings, setDismissed } from '../../insights/findings.ts';
import { studyOf } from '../sessions.ts';

type Finding = OutputOf<Operations['listStudyFindings']>['items'][number];
type Dismissal = OutputOf<Operations['dismissStudyFinding']>;

export const listStudyFindings: Verb<'listStudyFindings'> = async (context, { studyId, ...page }) => {
  await studyOf(context, studyId);
  const owner = { kind: 'study', id: studyId } as const;
  return pageOfFindings(context, page, owner, ({ lastSeenWaveId, ...row }, waves): Finding => {
    const subject = row.subject as Finding['subject'];
    const detector = row.fingerprint.slice(0, row.fingerprint.indexOf(':'));
    return {
      ...row,
      subject,
      title: candidateTitle({ detector, subject }),
      lastSeenWindowId: lastSeenWaveId,
      windows: waves.map(({ waveId: windowId, ...wave }) => ({ windowId, ...wave })),
    };
  });
};

export const dismissStudyFinding: Verb<'dismissStudyFinding'> = (context, input) => set(context, input, true);

export const undismissStudyFinding: Verb<'undismissStudyFinding'> = (context, input) =>
  set(context, input, false);

function set(
  context: ProjectContext,
  { studyId, findingId: id }: { studyId: string; findingId: string },
  dismissed: boolean,
): Promise<Dismissal> {
  return writeInProject(context, async (db) => {
    const { project } = context;
    await studyOf({ db, project }, studyId);
    await setDismissed(context, db, { kind: 'study', id: studyId }, id, dismissed);
    return { id, studyId, projectId: project.id, dismissed };
  });
}
