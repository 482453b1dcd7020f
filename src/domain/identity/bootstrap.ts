import type { Db } from '../../platform/database/database.ts';
import { nameKey } from '../../platform/database/name-key.ts';
import { isFirstBoot } from '../../platform/database/queries/organizations.ts';
import * as servers from '../../platform/database/queries/servers.ts';
import { newId } from '../../platform/ids.ts';
import { createKey } from '../operator/keys.ts';
import { createOrganization } from '../operator/organizations.ts';
import { createUser } from '../operator/users.ts';
import { saveDemoSuite } from './demo-suite.ts';

interface FirstBootOptions {
  /** The key to make, instead of a random one. */
  key: string | undefined;
  /** How to run the demo server, where that is allowed. */
  demo: { command: string; args: string[] } | undefined;
}

export interface FirstBoot {
  key: string;
  /** Path of the demo server below the base URL, if it was saved. */
  demoServer?: string;
}

/**
 * On an empty database: an owner, an organization, its Default project, a key, and a server with a suite to try things on.
 * Nothing later.
 */
export async function bootstrap(db: Db, options: FirstBootOptions): Promise<FirstBoot | undefined> {
  return db.transaction(async (trx) => {
    if (!(await isFirstBoot(trx))) return undefined;
    const owner = await createUser(trx, { email: 'owner@drydock.local', name: 'Owner' });
    const { id, defaultProjectId } = await createOrganization(trx, { name: 'Drydock', owner });
    const { key } = await createKey(trx, {
      organization: id,
      user: owner,
      name: 'First key',
      key: options.key,
    });
    if (!options.demo) return { key };
    const server = await trx.one(servers.insert, {
      id: newId('srv'),
      projectId: defaultProjectId,
      name: 'demo',
      nameKey: nameKey('demo'),
      enabled: true,
      transportType: 'stdio',
      url: null,
      settings: { ...options.demo, headerNames: [], envNames: [], hasClientSecret: false },
      sealedId: null,
      pluginVersionId: null,
    });
    await saveDemoSuite(trx, { projectId: defaultProjectId, serverId: server.id, userId: owner });
    return { key, demoServer: `/projects/${defaultProjectId}/servers/${server.id}` };
  });
}
