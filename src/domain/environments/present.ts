import type { Operations } from '../../contract/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import type { EnvironmentRow } from '../../platform/database/queries/environments.ts';

type Environment = OutputOf<Operations['getEnvironment']>;

export function presentEnvironment(row: EnvironmentRow): Environment {
  const { description, serverAttachmentId, modelId, skillIds, secretIds, pluginVersionIds, archivedAt } = row;
  return {
    id: row.id,
    projectId: row.projectId,
    name: row.name,
    ...(row.name === null && { adhoc: true as const }),
    ...(description !== null && { description }),
    hostId: row.hostId,
    ...(serverAttachmentId !== null && { serverAttachmentId }),
    ...(modelId !== null && { modelId }),
    ...(skillIds && { skillSelection: { mode: 'explicit' as const, skillIds } }),
    ...(secretIds && { secretSelection: { mode: 'explicit' as const, secretIds } }),
    ...(pluginVersionIds && { pluginVersionIds }),
    revision: row.revision,
    archived: archivedAt !== null,
    ...(archivedAt !== null && { archivedAt }),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}
