import * as journeys from '../../platform/database/queries/journeys.ts';
import { found } from '../base/refusals.ts';
import { writeInProject } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { Verb } from '../context/verb.ts';
import { checkParts } from './parts.ts';
import { presentJourney } from './present.ts';

export const updateJourney: Verb<'updateJourney'> = (context, { journeyId, body }) =>
  writeInProject(context, async (db) => {
    const one = { projectId: context.project.id, id: journeyId };
    const before = found(await db.row(journeys.lock, one), 'journey');
    await checkParts(context, db, body);
    const { serverAttachmentId: group, environmentIds, rubric } = body;
    const journey = await db.one(journeys.update, {
      ...one,
      name: body.name ?? before.name,
      goal: body.goal ?? before.goal,
      environmentIds: environmentIds === undefined ? before.environmentIds : (environmentIds ?? []),
      hostIds: body.hostIds ?? before.hostIds,
      serverGroupId: group === undefined ? before.serverGroupId : group,
      sessionsPerTarget: body.sessionsPerTarget ?? before.sessionsPerTarget,
      maxTurns: body.maxTurns ?? before.maxTurns,
      rubric: rubric === undefined ? before.rubric : rubric,
      judge: body.judge ?? before.judge,
      passThreshold: body.passThreshold ?? before.passThreshold,
    });
    await audit(db, context, 'journey.update', journeyId);
    return presentJourney(journey);
  });

export const archiveJourney: Verb<'archiveJourney'> = (context, { journeyId }) =>
  writeInProject(context, async (db) => {
    const projectId = context.project.id;
    found(await db.row(journeys.archive, { projectId, id: journeyId }), 'journey');
    await audit(db, context, 'journey.archive', journeyId);
    return { id: journeyId, projectId, archived: true as const };
  });
