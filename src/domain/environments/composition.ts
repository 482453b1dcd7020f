import { createHash } from 'node:crypto';
import { Refusal } from '../../contract/errors.ts';
import type { Db } from '../../platform/database/database.ts';
import * as clients from '../../platform/database/queries/clients.ts';
import type { Composition } from '../../platform/database/queries/environments.ts';
import * as plugins from '../../platform/database/queries/plugins.ts';
import * as secrets from '../../platform/database/queries/secrets.ts';
import * as serverGroups from '../../platform/database/queries/server-groups.ts';
import * as skills from '../../platform/database/queries/skills.ts';
import type { ProjectContext } from '../context/context.ts';
import { pinnabilityOf } from '../skills/pinnability.ts';

/** As sent in a request: absent keeps, null clears. */
export interface CompositionInput {
  hostId?: string | undefined;
  serverAttachmentId?: string | null | undefined;
  modelId?: string | null | undefined;
  skillSelection?: { skillIds: string[] } | null | undefined;
  secretSelection?: { secretIds: string[] } | null | undefined;
  pluginVersionIds?: string[] | null | undefined;
  sandboxImageId?: string | null | undefined;
}

const nothing = {
  serverAttachmentId: null,
  modelId: null,
  skillIds: null,
  secretIds: null,
  pluginVersionIds: null,
  sandboxImageId: null,
};

export function composed(input: CompositionInput & { hostId: string }): Composition {
  return changed({ hostId: input.hostId, ...nothing }, input);
}

/** The composition after an edit. ID lists are treated as sets. */
export function changed(before: Composition, input: CompositionInput): Composition {
  const { hostId, serverAttachmentId, modelId, skillSelection, secretSelection, pluginVersionIds } = input;
  return {
    hostId: hostId ?? before.hostId,
    serverAttachmentId: kept(serverAttachmentId, before.serverAttachmentId),
    modelId: kept(modelId, before.modelId),
    skillIds: kept(skillSelection && ordered(skillSelection.skillIds), before.skillIds),
    secretIds: kept(secretSelection && ordered(secretSelection.secretIds), before.secretIds),
    pluginVersionIds: kept(pluginVersionIds && ordered(pluginVersionIds), before.pluginVersionIds),
    sandboxImageId: kept(input.sandboxImageId, before.sandboxImageId),
  };
}

function kept<T>(sent: T | null | undefined, before: T | null): T | null {
  return sent === undefined ? before : sent;
}

function ordered(ids: string[]): string[] {
  return [...new Set(ids)].sort();
}

/** Hash that is equal for equal compositions. */
export function compositionKey(composition: Composition): string {
  const { hostId, serverAttachmentId, modelId, skillIds, secretIds, pluginVersionIds, sandboxImageId } =
    composition;
  const parts = [hostId, serverAttachmentId, modelId, skillIds, secretIds, pluginVersionIds, sandboxImageId];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** Checks that each newly added part may be used. Parts already in the environment were checked when added. */
export async function checkComposition(
  context: ProjectContext,
  db: Db,
  after: Composition,
  before?: Composition,
): Promise<void> {
  const projectId = context.project.id;
  if (after.hostId !== before?.hostId && !(await db.row(clients.hold, { projectId, id: after.hostId })))
    throw unknown('hostId', 'client', after.hostId);
  const group = after.serverAttachmentId;
  if (
    group !== null &&
    group !== before?.serverAttachmentId &&
    !(await db.row(serverGroups.find, { projectId, id: group }))
  )
    throw unknown('serverAttachmentId', 'server group', group);
  if (after.sandboxImageId !== null && after.sandboxImageId !== before?.sandboxImageId)
    throw unknown('sandboxImageId', 'sandbox image', after.sandboxImageId);
  await checkSkills(context, db, added(after.skillIds, before?.skillIds));
  await checkSecrets(context, db, added(after.secretIds, before?.secretIds));
  await checkPlugins(
    context,
    db,
    after.pluginVersionIds ?? [],
    added(after.pluginVersionIds, before?.pluginVersionIds),
  );
}

function added(after: string[] | null, before: string[] | null | undefined): string[] {
  return (after ?? []).filter((id) => !before?.includes(id));
}

const skillProblems = {
  personal: ['SKILL_PERSONAL', 'is personal; only skills shared with the project can be pinned'],
  supporting_files: ['SKILL_SUPPORTING_FILES', 'has supporting files, which pinned skills cannot have'],
  extra_frontmatter: ['SKILL_EXTRA_FRONTMATTER', 'has frontmatter besides name and description'],
  plugin_component: ['SKILL_PLUGIN_COMPONENT', 'belongs to a plugin; pin the plugin version instead'],
} as const;

async function checkSkills(context: ProjectContext, db: Db, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  const found = await db.rows(skills.pinning, { projectId: context.project.id, ids });
  const rows = new Map(found.map((row) => [row.id, row]));
  for (const id of ids) {
    const row = rows.get(id);
    const visible = row && (row.sharing === 'project' || row.ownerId === context.actor.user.id);
    if (!visible) throw unknown('skillSelection', 'skill', id);
    const { ok, reason } = pinnabilityOf(row);
    if (ok) continue;
    const [code, problem] = skillProblems[reason as keyof typeof skillProblems];
    throw refused('skillSelection', `The skill ${id} ${problem}`, { code, skillId: id });
  }
}

async function checkSecrets(context: ProjectContext, db: Db, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  const found = await db.rows(secrets.findVisible, {
    projectId: context.project.id,
    userId: context.actor.user.id,
    ids,
  });
  const missing = ids.find((id) => !found.some((secret) => secret.id === id));
  if (missing !== undefined) throw unknown('secretSelection', 'secret', missing);
}

/** Allows one version per plugin. Whether a version can be pinned is checked for newly added versions only. */
async function checkPlugins(context: ProjectContext, db: Db, ids: string[], added: string[]): Promise<void> {
  if (added.length === 0) return;
  if (context.project.role !== 'admin')
    throw new Refusal('FORBIDDEN', 'Only an administrator of the project can pin plugin versions');
  const found = await db.rows(plugins.pinning, { projectId: context.project.id, ids });
  const rows = new Map(found.map((row) => [row.id, row]));
  const pinned = new Map<string, string>();
  for (const id of ids) {
    const row = rows.get(id);
    const isNew = added.includes(id);
    if (!row) {
      if (!isNew) continue;
      throw unknown('pluginVersionIds', 'plugin version', id);
    }
    const refuse = (code: string, problem: string): Refusal =>
      refused('pluginVersionIds', `The plugin version ${id} ${problem}`, { code, pluginVersionId: id });
    if (isNew && !row.enabled)
      throw refuse('PLUGIN_DISABLED', `is of the plugin ${row.pluginName}, which is disabled`);
    if (isNew && row.status !== 'ready')
      throw refuse('PLUGIN_VERSION_NOT_READY', `is ${row.status}, not ready`);
    if (isNew && row.hasSkillWithFiles)
      throw refuse('PLUGIN_SKILL_SUPPORTING_FILES', 'has a skill with supporting files');
    const other = pinned.get(row.pluginId);
    if (other !== undefined)
      throw refuse('PLUGIN_TWO_VERSIONS', `and ${other} are of one plugin; pin one of them`);
    pinned.set(row.pluginId, id);
  }
}

function unknown(field: string, what: string, id: string): Refusal {
  return new Refusal('NOT_FOUND', `${field}: There is no ${what} ${JSON.stringify(id)} in this project`, {
    details: { field, id },
  });
}

function refused(field: string, message: string, details: Record<string, unknown>): Refusal {
  return new Refusal('VALIDATION_ERROR', `${field}: ${message}`, { details });
}
