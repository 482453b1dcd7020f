import type { Operations } from '../../contract/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import type { ServerRow } from '../../platform/database/queries/servers.ts';

/** The public view of a server. The row does not contain secret values. */
export function presentServer(row: ServerRow): OutputOf<Operations['getProjectServer']> {
  const { settings } = row;
  return {
    id: row.id,
    projectId: row.projectId,
    name: row.name,
    enabled: row.enabled,
    transportType: row.transportType,
    url: row.url,
    useOAuth: settings.useOAuth ?? false,
    hasClientSecret: settings.hasClientSecret,
    oauthScopes: settings.oauthScopes ?? [],
    headerNames: settings.headerNames,
    envNames: settings.envNames,
    ...(row.transportType === 'stdio' && { personalEnv: settings.personalEnv ?? [] }),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}
