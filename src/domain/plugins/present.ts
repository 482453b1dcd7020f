import type { Operations } from '../../contract/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import type { PluginRow, PluginVersionRow } from '../../platform/database/queries/plugins.ts';

export function presentPlugin(row: PluginRow): OutputOf<Operations['listProjectPlugins']>['items'][0] {
  return {
    id: row.id,
    projectId: row.projectId,
    name: row.name,
    ...(row.displayName !== null && { displayName: row.displayName }),
    ...(row.description !== null && { description: row.description }),
    enabled: row.enabled,
    ...(row.activeVersionId !== null && { activeVersionId: row.activeVersionId }),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

export function presentVersion(row: PluginVersionRow): OutputOf<Operations['getPluginVersion']> {
  return {
    id: row.id,
    pluginId: row.pluginId,
    ...(row.declaredVersion !== null && { declaredVersion: row.declaredVersion }),
    bundleHash: row.bundleHash,
    ...(row.manifestHash !== null && { manifestHash: row.manifestHash }),
    status: row.status,
    componentCounts: row.componentCounts,
    servers: row.servers,
    skills: row.skills,
    createdAt: row.createdAt,
    ...(row.readyAt !== null && { readyAt: row.readyAt }),
  };
}
