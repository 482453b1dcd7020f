import { rehearsalId } from '../../../models/catalog.ts';
import { hostedRoute } from '../../../models/resolve.ts';
import * as environments from '../../../platform/database/queries/environments.ts';
import * as groups from '../../../platform/database/queries/server-groups.ts';
import * as servers from '../../../platform/database/queries/servers.ts';
import { conflict } from '../../base/refusals.ts';
import { type ToolToTry, toolsToTry } from '../../case-drafts/draft.ts';
import type { ProjectContext } from '../../context/context.ts';
import type { Verb } from '../../context/verb.ts';
import { resolveComposition } from '../../environments/resolve-composition.ts';
import { unknown } from '../../journeys/parts.ts';
import { refuseSpent } from '../../limits/spend-budget.ts';
import { spendWithRateLimit } from '../../limits/spend-with-rate-limit.ts';
import { drain } from '../../live/drain.ts';
import { withEachServer } from '../../live/each-server.ts';
import { draftJourneys, draftPersonas } from './draft.ts';
import { type Drafter, journeysOfModel, personasOfModel } from './draft-with-model.ts';

/** Requests per organization and minute. */
const perMinute = 20;
const defaultJourneys = 3;

export const generatePersonas: Verb<'generatePersonas'> = async (context, { body }) => {
  const { personaCount, journeyCount = defaultJourneys, description, existingPersonas: existing = [] } = body;
  const wanted = { personaCount: personaCount ?? 1, journeyCount, description, existing };
  const { generationModel, drafts } = await drafted(context, body, 'personas', {
    templates: (tools) => draftPersonas(tools, wanted),
    model: (drafter) => personasOfModel(drafter, wanted),
  });
  if (personaCount !== undefined) return { generationModel, personas: drafts };
  const [only = { journeys: [] }] = drafts;
  return { generationModel, ...only };
};

export const generateJourneys: Verb<'generateJourneys'> = async (context, { body }) => {
  const { journeyCount = defaultJourneys, description, persona } = body;
  const { name, role, notes } = persona;
  const { generationModel, drafts } = await drafted(context, body, 'journeys', {
    templates: (tools) => draftJourneys(tools, journeyCount),
    model: (drafter) =>
      journeysOfModel(
        drafter,
        { name, role, ...(notes !== undefined && { notes }) },
        { journeyCount, description },
      ),
  });
  return { generationModel, journeys: drafts };
};

interface Source {
  serverAttachmentId?: string | undefined;
  environmentId?: string | undefined;
}

/** Drafts from a language model, or from templates if none is hosted. Stores nothing but the cost. */
async function drafted<T>(
  context: ProjectContext,
  source: Source,
  what: string,
  ways: {
    templates: (tools: readonly ToolToTry[]) => T[];
    model: (drafter: Drafter) => Promise<T[]>;
  },
): Promise<{ generationModel: string; drafts: T[] }> {
  const tools = await toolsOf(context, source);
  const route = hostedRoute(context.models);
  const reason = `drafts of ${what} in ${context.project.id}`;
  await context.db.transaction(async (db) => {
    if (route) await refuseSpent(context, db, [route]);
    await spendWithRateLimit(context, db, 'generationsPerDay', perMinute, reason);
  });
  if (!route) return { generationModel: rehearsalId, drafts: ways.templates(tools) };
  return { generationModel: route.id, drafts: await ways.model({ context, route, reason, tools }) };
}

/** Current tools of the servers; the first of each name. */
async function toolsOf(context: ProjectContext, source: Source): Promise<ToolToTry[]> {
  const lists = await withEachServer(context, await serversOf(context, source), (conversation) =>
    drain(conversation, 'tools'),
  );
  const tools = lists.flatMap((list) => toolsToTry(list?.items ?? []));
  return [...new Map(tools.toReversed().map((tool) => [tool.name, tool])).values()].toReversed();
}

async function serversOf(
  { db, project, actor }: ProjectContext,
  { serverAttachmentId, environmentId }: Source,
): Promise<{ id: string }[]> {
  const projectId = project.id;
  if (environmentId !== undefined) {
    if (!(await db.row(environments.find, { projectId, id: environmentId })))
      throw unknown('environmentId', 'environment', environmentId);
    return (await resolveComposition(db, { projectId, environmentId, startedBy: actor.user.id })).servers;
  }
  // The contract requires one of the two.
  const id = serverAttachmentId as string;
  const group = await db.row(groups.find, { projectId, id });
  if (!group) throw unknown('serverAttachmentId', 'server group', id);
  const usable = await db.rows(servers.enabled, { projectId, ids: group.serverIds });
  if (usable.length === 0)
    throw conflict(
      'The group has no usable server: all were deleted or disabled. Name another group',
      'GROUP_NO_SERVERS',
    );
  return usable;
}
