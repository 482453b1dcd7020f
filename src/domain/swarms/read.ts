import type { Operations } from '../../contract/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import type { SessionRubric } from '../../contract/rubrics.ts';
import type { SwarmRow } from '../../platform/database/queries/swarms.ts';
import * as swarms from '../../platform/database/queries/swarms.ts';
import { pageByLatest } from '../base/paging.ts';
import { found } from '../base/refusals.ts';
import type { Verb } from '../context/verb.ts';

export const listSwarms: Verb<'listSwarms'> = (context, page) => {
  const { db, project } = context;
  const projectId = project.id;
  return pageByLatest(
    context,
    ['swarms', projectId],
    page,
    (before, most) => db.rows(swarms.list, { projectId, before, most }),
    presentSwarm,
  );
};

export const getSwarm: Verb<'getSwarm'> = async ({ db, project }, { swarmId }) =>
  presentSwarm(found(await db.row(swarms.find, { projectId: project.id, id: swarmId }), 'swarm'));

export function presentSwarm(row: SwarmRow): OutputOf<Operations['getSwarm']> {
  const { archivedAt: _, ...swarm } = row;
  return { ...swarm, iterations: swarm.sessionsPerTarget, rubric: swarm.rubric as SessionRubric | null };
}
