import * as swarms from '../../platform/database/queries/swarms.ts';
import { newId } from '../../platform/ids.ts';
import { found } from '../base/refusals.ts';
import { writeInProject } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { Verb } from '../context/verb.ts';
import { checkParts } from '../journeys/parts.ts';
import { checkRoom } from '../limits/room.ts';
import { presentSwarm } from './read.ts';

export const createSwarm: Verb<'createSwarm'> = (context, { body }) =>
  writeInProject(context, async (db) => {
    const projectId = context.project.id;
    await checkParts(context, db, body);
    await checkRoom(context, db, 'swarms', swarms.count, { projectId });
    const swarm = await db.one(swarms.insert, {
      id: newId('swrm', context.clock()),
      projectId,
      name: body.name,
      description: body.description ?? null,
      environmentIds: body.environmentIds ?? [],
      sessionsPerTarget: body.iterations ?? body.sessionsPerTarget ?? null,
      maxTurns: body.maxTurns,
      rubric: body.rubric ?? null,
    });
    await audit(db, context, 'swarm.create', swarm.id);
    return presentSwarm(swarm);
  });

export const updateSwarm: Verb<'updateSwarm'> = (context, { swarmId, body }) =>
  writeInProject(context, async (db) => {
    const one = { projectId: context.project.id, id: swarmId };
    const before = found(await db.row(swarms.lock, one), 'swarm');
    await checkParts(context, db, body);
    const { description, environmentIds, rubric } = body;
    const swarm = await db.one(swarms.update, {
      ...one,
      name: body.name ?? before.name,
      description: description === undefined ? before.description : description,
      environmentIds: environmentIds === undefined ? before.environmentIds : (environmentIds ?? []),
      sessionsPerTarget: body.iterations ?? body.sessionsPerTarget ?? before.sessionsPerTarget,
      maxTurns: body.maxTurns ?? before.maxTurns,
      rubric: rubric === undefined ? before.rubric : rubric,
    });
    await audit(db, context, 'swarm.update', swarmId);
    return presentSwarm(swarm);
  });

export const archiveSwarm: Verb<'archiveSwarm'> = (context, { swarmId }) =>
  writeInProject(context, async (db) => {
    const projectId = context.project.id;
    found(await db.row(swarms.archive, { projectId, id: swarmId }), 'swarm');
    await audit(db, context, 'swarm.archive', swarmId);
    return { id: swarmId, projectId, archived: true as const };
  });
