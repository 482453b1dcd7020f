import * as journeys from '../../platform/database/queries/journeys.ts';
import * as personas from '../../platform/database/queries/personas.ts';
import * as swarms from '../../platform/database/queries/swarms.ts';
import { newId } from '../../platform/ids.ts';
import { writeInProject } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { Verb } from '../context/verb.ts';
import { checkRoom } from '../limits/room.ts';
import { checkParts, unknown } from './parts.ts';
import { defaultJudge, defaultThreshold, presentJourney } from './present.ts';

export const createJourney: Verb<'createJourney'> = (context, { body }) =>
  writeInProject(context, async (db) => {
    const projectId = context.project.id;
    const { goal, personaId, swarmId = null, environmentIds = [], hostIds = [] } = body;
    if (!(await db.row(personas.hold, { projectId, id: personaId })))
      throw unknown('personaId', 'persona', personaId);
    if (swarmId !== null && !(await db.row(swarms.find, { projectId, id: swarmId })))
      throw unknown('swarmId', 'swarm', swarmId);
    await checkParts(context, db, body);
    await checkRoom(context, db, 'journeys', journeys.count, { projectId });
    const journey = await db.one(journeys.insert, {
      id: newId('jrny', context.clock()),
      projectId,
      name: body.name ?? nameOf(goal),
      goal,
      personaId,
      swarmId,
      environmentIds,
      hostIds,
      serverGroupId: body.serverAttachmentId ?? null,
      sessionsPerTarget: body.sessionsPerTarget,
      maxTurns: body.maxTurns,
      rubric: body.rubric ?? null,
      judge: body.judge ?? defaultJudge,
      passThreshold: body.passThreshold ?? defaultThreshold,
    });
    await audit(db, context, 'journey.create', journey.id);
    return presentJourney(journey);
  });

/** The first line of the goal, truncated. */
function nameOf(goal: string): string {
  const line =
    goal
      .split('\n', 1)[0]
      ?.replaceAll(/\p{Cc}+/gu, ' ')
      .trim() ?? '';
  if (line === '') return 'Journey';
  return line.length > 80 ? `${line.slice(0, 79).toWellFormed()}…` : line;
}
