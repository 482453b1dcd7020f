import type { Refusal } from '../../contract/errors.ts';
import type { Db } from '../../platform/database/database.ts';
import { nameKey } from '../../platform/database/name-key.ts';
import * as clients from '../../platform/database/queries/clients.ts';
import { conflict, found } from '../base/refusals.ts';
import { writeInProject } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { ProjectContext } from '../context/context.ts';
import { type ClientConfig, canonicalConfig, configIdOf } from './config.ts';
import { type Impact, impactOf, presentClientById } from './present.ts';
import { checkConfig, checkServers } from './rules.ts';

/** Values the caller has read and expects to be current. */
export interface Expectations {
  name?: string | undefined;
  configId?: string | undefined;
  impact?: Impact | undefined;
}

interface Change {
  name?: string | undefined;
  /** Computes the new configuration from the current one. */
  config?: (current: ClientConfig) => ClientConfig;
}

/**
 * Every change of a client goes through here: checks the expectations first, and writes nothing if nothing changes.
 */
export function editClient(
  context: ProjectContext,
  find: (db: Db) => Promise<clients.ClientRow>,
  change: Change,
  expected: Expectations,
): ReturnType<typeof presentClientById> {
  const projectId = context.project.id;
  return writeInProject(context, async (db) => {
    const { id } = await find(db);
    await db.row(clients.lock, { projectId, id });
    const before = found(await db.row(clients.find, { projectId, id }), 'client');
    await checkExpectations(db, before, expected);
    const after = { id, projectId, name: change.name ?? before.name, ...configAfter(before, change) };
    checkConfig(after.config);
    await checkServers(db, projectId, after.config, before.config);
    if (after.name !== before.name || after.configId !== before.configId) {
      await db.run(clients.keepConfig, { projectId, id: after.configId, config: after.config });
      await db.run(clients.update, { ...after, nameKey: nameKey(after.name) });
      await audit(db, context, 'client.update', id);
    }
    return presentClientById(db, projectId, id);
  });
}

/**
 * An edit that results in equal settings keeps the stored form, which an earlier version may have written
 * differently.
 */
function configAfter(
  before: clients.ClientRow,
  change: Change,
): Pick<clients.ClientRow, 'configId' | 'config'> {
  const kept = { configId: before.configId, config: before.config };
  if (!change.config) return kept;
  const config = canonicalConfig(change.config(before.config));
  const configId = configIdOf(config);
  return configId === configIdOf(canonicalConfig(before.config)) ? kept : { configId, config };
}

async function checkExpectations(db: Db, client: clients.ClientRow, expected: Expectations): Promise<void> {
  if (expected.name !== undefined && expected.name !== client.name)
    throw changed('has another name now', { currentName: client.name });
  if (expected.configId !== undefined && expected.configId !== client.configId)
    throw changed('has another configuration now', { currentConfigId: client.configId });
  if (!expected.impact) return;
  const impact = await impactOf(db, client);
  const names = Object.keys(impact) as (keyof Impact)[];
  if (names.some((name) => impact[name] !== expected.impact?.[name]))
    throw changed('is used differently now', { currentImpact: impact });
}

function changed(how: string, details: Record<string, unknown>): Refusal {
  return conflict(`The client ${how}. Reload it, then repeat the edit`, 'CLIENT_CHANGED', details);
}
