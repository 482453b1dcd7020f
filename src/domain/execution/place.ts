import type { Db } from '../../platform/database/database.ts';
import * as servers from '../../platform/database/queries/servers.ts';
import * as skills from '../../platform/database/queries/skills.ts';
import { found } from '../base/refusals.ts';
import { type ClientConnection, connectionOf } from '../clients/connection.ts';
import type { ProjectContext } from '../context/context.ts';
import { requireReachable } from '../live/reach.ts';
import type { Selection } from './selection.ts';

interface PlannedSkill {
  name: string;
  description: string;
  content: string;
}

/** Where a run or journey session takes place, frozen at launch. */
export interface PlaceSnapshot {
  servers: { id: string; name: string; revision: number }[];
  client: { id: string; name: string; configId: string } | null;
  environment: { id: string; name: string | null; revision: number } | null;
  systemPrompt?: string;
  temperature?: number;
  connection: ClientConnection;
  skills: PlannedSkill[];
  /** Secrets the environment grants. */
  secretIds: string[];
}

export async function placeOf(context: ProjectContext, db: Db, selection: Selection): Promise<PlaceSnapshot> {
  const { composition, client } = selection;
  const systemPrompt = client?.config['systemPrompt'];
  const temperature = client?.config['temperature'];
  const environment = composition?.environment;
  return {
    servers: await serversOf(context, db, selection),
    client: client ? { id: client.id, name: client.name, configId: client.configId } : null,
    environment: environment
      ? { id: environment.id, name: environment.name, revision: environment.revision }
      : null,
    ...(typeof systemPrompt === 'string' && systemPrompt !== '' && { systemPrompt }),
    ...(typeof temperature === 'number' && { temperature }),
    connection: connectionOf(client?.config ?? {}),
    skills: await skillsOf(context, db, selection),
    secretIds: composition?.secretIds ?? [],
  };
}

async function serversOf(
  context: ProjectContext,
  db: Db,
  selection: Selection,
): Promise<PlaceSnapshot['servers']> {
  const projectId = context.project.id;
  const rows: PlaceSnapshot['servers'] = [];
  for (const { id } of selection.servers) {
    const server = found(await db.row(servers.findLive, { projectId, id }), 'server');
    await requireReachable({ ...context, db }, server);
    rows.push({ id, name: server.name, revision: server.revision });
  }
  return rows;
}

export async function skillsOf(
  { project }: Pick<ProjectContext, 'project'>,
  db: Db,
  { composition }: Pick<Selection, 'composition'>,
): Promise<PlaceSnapshot['skills']> {
  if (!composition) return [];
  const ids = composition.skills.map(({ id }) => id);
  const pluginVersionIds = composition.pluginVersions.map(({ id }) => id);
  if (ids.length === 0 && pluginVersionIds.length === 0) return [];
  return db.rows(skills.contents, { projectId: project.id, ids, pluginVersionIds });
}
