import type { Db } from '../../../platform/database/database.ts';
import * as servers from '../../../platform/database/queries/servers.ts';
import * as skills from '../../../platform/database/queries/skills.ts';
import { connectionOf } from '../../clients/connection.ts';
import type { ProjectContext } from '../../context.ts';
import type { Suite } from '../../eval-suites/suite.ts';
import { reach, requireGrant } from '../../live/reach.ts';
import { found } from '../../refusals.ts';
import { frozenJudge } from '../judge/frozen.ts';
import type { RunSnapshot } from '../snapshot.ts';
import type { Plan } from './plan.ts';
import type { Selection } from './select.ts';

interface Asked {
  selection: Selection;
  minimumPassRate?: number | undefined;
  excludeSkills: boolean;
}

/** All that the run will use, written down. A server that waits for an authorization is refused here. */
export async function snapshotOf(
  context: ProjectContext,
  db: Db,
  suite: Suite,
  plan: Plan,
  { selection, minimumPassRate, excludeSkills }: Asked,
): Promise<RunSnapshot> {
  const { settings, execution } = suite;
  const place = await placeOf(context, db, selection);
  // What the suite says holds where the client says nothing; of temperatures it is the other way round.
  const systemPrompt = place.systemPrompt ?? execution?.systemPrompt;
  const temperature = execution?.temperature ?? place.temperature;
  return {
    version: 1,
    suite: { id: suite.id, name: suite.name, revision: suite.revision },
    // A rate that the request asks for decides about the whole run.
    policy: minimumPassRate === undefined ? settings.policy : 1,
    minimumPassRate: minimumPassRate ?? settings.minimumPassRate ?? 100,
    validity: settings.validity ?? {},
    judge: frozenJudge(settings.judge, plan.judge),
    cases: plan.cases,
    ...place,
    ...(systemPrompt !== undefined && { systemPrompt }),
    ...(temperature !== undefined && { temperature }),
    ...(excludeSkills && { skills: [] }),
    pluginVersions: (selection.composition?.pluginVersions ?? []).map(
      ({ id, pluginId, pluginName, bundleHash }) => ({ id, pluginId, name: pluginName, bundleHash }),
    ),
  };
}

/** Where a run, or a session of a journey, takes place. */
export type PlaceSnapshot = Pick<
  RunSnapshot,
  | 'servers'
  | 'client'
  | 'environment'
  | 'systemPrompt'
  | 'temperature'
  | 'connection'
  | 'skills'
  | 'secretIds'
>;

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
): Promise<RunSnapshot['servers']> {
  const projectId = context.project.id;
  const rows: RunSnapshot['servers'] = [];
  for (const { id } of selection.servers) {
    const server = found(await db.row(servers.findLive, { projectId, id }), 'server');
    requireGrant(await reach({ ...context, db }, server, {}), {});
    rows.push({ id, name: server.name, revision: server.revision });
  }
  return rows;
}

export async function skillsOf(
  { project }: Pick<ProjectContext, 'project'>,
  db: Db,
  { composition }: Pick<Selection, 'composition'>,
): Promise<RunSnapshot['skills']> {
  if (!composition) return [];
  const ids = composition.skills.map(({ id }) => id);
  const pluginVersionIds = composition.pluginVersions.map(({ id }) => id);
  if (ids.length === 0 && pluginVersionIds.length === 0) return [];
  return db.rows(skills.contents, { projectId: project.id, ids, pluginVersionIds });
}
