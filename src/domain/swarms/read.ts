import * as swarms from '../../platform/database/queries/swarms.ts';
import { pageByLatest } from '../base/paging.ts';
import { found } from '../base/refusals.ts';
import type { Verb } from '../context/verb.ts';
import { presentSwarm } from './present.ts';

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
