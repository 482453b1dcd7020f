import type { Operations } from '../../contract/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import type { SessionRubric } from '../../contract/rubrics.ts';
import type { SwarmRow } from '../../platform/database/queries/swarms.ts';

export function presentSwarm(row: SwarmRow): OutputOf<Operations['getSwarm']> {
  const { archivedAt: _, ...swarm } = row;
  return { ...swarm, iterations: swarm.sessionsPerTarget, rubric: swarm.rubric as SessionRubric | null };
}
