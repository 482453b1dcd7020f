import * as environments from '../../platform/database/queries/environments.ts';
import * as studies from '../../platform/database/queries/studies.ts';
import { found } from '../base/refusals.ts';
import { forgetLink, mintLink } from '../context/sealed-links.ts';
import type { Verb } from '../context/verb.ts';
import { mustBeLive } from '../environments/write.ts';
import { linkOf, presentStudy } from './present.ts';
import { mustBePublished, reloadStudy, writeStudy } from './write.ts';

/** Ordered from the narrowest access to the widest. */
const modes: readonly studies.Mode[] = ['project_members', 'invited_only', 'anyone_with_link'];

function isNarrower(mode: studies.Mode, than: studies.Mode): boolean {
  return modes.indexOf(mode) < modes.indexOf(than);
}

export const updateStudy: Verb<'updateStudy'> = (context, { studyId, body }) =>
  writeStudy(
    context,
    studyId,
    body.mode === undefined ? 'update' : `mode-${body.mode}`,
    async (db, study) => {
      const { name = study.name, description = study.description, mode } = body;
      if (mode === undefined) await db.run(studies.describe, { id: studyId, name, description });
      else if (mode !== study.mode)
        await db.run(studies.setMode, { id: studyId, mode, narrows: isNarrower(mode, study.mode) });
      return { id: studyId, projectId: study.projectId, name, description, mode: mode ?? study.mode };
    },
  );

export const rotateStudyLink: Verb<'rotateStudyLink'> = (context, { studyId }) =>
  writeStudy(context, studyId, 'rotate-link', async (db, study) => {
    mustBePublished(study);
    await db.run(studies.setLink, { id: studyId, ...(await mintLink(context, db)) });
    await forgetLink(context, db, study);
    const { projectId } = study;
    return {
      id: studyId,
      projectId,
      rotated: true,
      link: linkOf(context, await reloadStudy(db, study))?.url ?? null,
    };
  });

export const rebindStudy: Verb<'rebindStudy'> = (context, { studyId, body }) =>
  writeStudy(context, studyId, 'rebind', async (db, study) => {
    const { projectId } = study;
    const { environmentId } = body;
    const environment = found(
      await db.row(environments.find, { projectId, id: environmentId }),
      'environment',
    );
    mustBeLive(environment);
    await db.run(studies.rebind, { id: studyId, environmentId });
    return { ...presentStudy(context, await reloadStudy(db, study)), projectId };
  });

export const setStudyGuestExecution: Verb<'setStudyGuestExecution'> = (context, { studyId, body }) =>
  writeStudy(context, studyId, 'guest-execution', async (db, { projectId }) => {
    await db.run(studies.setGuestExecution, { id: studyId, guestExecution: body });
    return { ...body, id: studyId, projectId, guestExecution: body };
  });
