import type { Operations } from '../../contract/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import type { SkillRow } from '../../platform/database/queries/skills.ts';
import { pinnabilityOf } from './pinnability.ts';

export function presentSkill(
  row: SkillRow,
  userId: string,
): OutputOf<Operations['listProjectSkills']>['items'][0] {
  return {
    id: row.id,
    projectId: row.projectId,
    name: row.name,
    description: row.description,
    sharing: row.sharing,
    isOwner: row.ownerId === userId,
    aggregateHash: row.aggregateHash,
    provenance: row.provenance,
    pinnability: pinnabilityOf(row),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}
