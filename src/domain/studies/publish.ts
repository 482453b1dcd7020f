import type { Operations } from '../../contract/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import type { Db } from '../../platform/database/database.ts';
import * as environments from '../../platform/database/queries/environments.ts';
import * as studies from '../../platform/database/queries/studies.ts';
import { newId } from '../../platform/ids.ts';
import { found, invalidBecause } from '../base/refusals.ts';
import { writeInProject } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { ProjectContext } from '../context/context.ts';
import { forgetLink, mintLink } from '../context/sealed-links.ts';
import type { Verb } from '../context/verb.ts';
import { mustBeLive } from '../environments/write.ts';
import { checkRoom } from '../limits/room.ts';
import { defaultGuestExecution } from './guest-execution.ts';
import { presentStudy } from './present.ts';
import { reloadStudy } from './write.ts';

/** Studies per project. */
const maxStudies = 200;
type Published = OutputOf<Operations['publishStudy']>;

export const publishStudy: Verb<'publishStudy'> = (context, { environmentId, body }) =>
  writeInProject(context, async (db): Promise<Published> => {
    const { project } = context;
    const environment = found(
      await db.row(environments.find, { projectId: project.id, id: environmentId }),
      'environment',
    );
    mustBeLive(environment);
    await db.row(studies.lockPublishing, { environmentId });
    const [last] = await db.rows(studies.ofEnvironment, { projectId: project.id, environmentId });
    if (last && last.publishedAt !== null) {
      const overridesIgnored = Object.values(body).some((value) => value !== undefined);
      return {
        ...presentStudy(context, last),
        created: false,
        ...(overridesIgnored && { overridesIgnored }),
      };
    }
    const id = last?.id ?? (await make(context, db, environment));
    const before = last ?? found(await db.row(studies.find, { projectId: project.id, id }), 'study');
    await db.run(studies.publish, {
      id,
      name: body.name ?? before.name,
      description: body.description ?? before.description,
      mode: body.mode ?? before.mode,
    });
    await db.run(studies.setLink, { id, ...(await mintLink(context, db)) });
    await audit(db, context, 'study.publish', id, { environmentId, mode: body.mode ?? before.mode });
    return { ...presentStudy(context, await reloadStudy(db, before)), created: true };
  });

async function make(
  context: ProjectContext,
  db: Db,
  environment: environments.EnvironmentRow,
): Promise<string> {
  const { project, actor, clock } = context;
  await checkRoom(context, db, 'studies', studies.count, { projectId: project.id }, maxStudies);
  const id = newId('std', clock());
  await db.run(studies.insert, {
    id,
    organizationId: actor.organization.id,
    projectId: project.id,
    environmentId: environment.id,
    name: environment.name ?? 'Study',
    description: environment.description,
    mode: 'invited_only',
    guestExecution: defaultGuestExecution,
  });
  return id;
}

export const unpublishStudy: Verb<'unpublishStudy'> = (context, { environmentId, scenarioId }) =>
  writeInProject(context, async (db) => {
    const projectId = context.project.id;
    found(await db.row(environments.find, { projectId, id: environmentId }), 'environment');
    await db.row(studies.lockPublishing, { environmentId });
    const all = await db.rows(studies.ofEnvironment, { projectId, environmentId });
    const published = all.filter(({ publishedAt }) => publishedAt !== null);
    const meant = scenarioId === undefined ? published : published.filter(({ id }) => id === scenarioId);
    if (scenarioId !== undefined && !all.some(({ id }) => id === scenarioId))
      throw invalidBecause('scenarioId: This environment has no such study', 'STUDY_NOT_OF_ENVIRONMENT', {
        candidates: published.map(({ id, name }) => ({ id, name })),
      });
    if (meant.length > 1)
      throw invalidBecause(
        'scenarioId: Required, because the environment has several published studies',
        'STUDY_REQUIRED',
        {
          candidates: published.map(({ id, name }) => ({ id, name })),
        },
      );
    const [study] = meant;
    if (!study) return { environmentId, deleted: false };
    await db.run(studies.unpublish, { id: study.id });
    await forgetLink(context, db, study);
    await db.run(studies.announce, { id: study.id });
    await audit(db, context, 'study.unpublish', study.id, { environmentId });
    return { environmentId, deleted: true, id: study.id };
  });
