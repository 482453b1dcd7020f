import type { Db } from '../../platform/database/database.ts';
import { nameKey } from '../../platform/database/name-key.ts';
import * as keys from '../../platform/database/queries/keys.ts';
import * as members from '../../platform/database/queries/members.ts';
import { isFirstBoot } from '../../platform/database/queries/organizations.ts';
import * as servers from '../../platform/database/queries/servers.ts';
import * as users from '../../platform/database/queries/users.ts';
import { newId } from '../../platform/ids.ts';
import { createConsoleLink } from '../operator/console-link.ts';
import { listOrganizations } from '../operator/find.ts';
import { createKey } from '../operator/keys.ts';
import { createOrganization } from '../operator/organizations.ts';
import { createUser } from '../operator/users.ts';

interface FirstBootOptions {
  /** The key to create, default random. `null`: create none, because it could not be shown. */
  key: string | null | undefined;
  /** Command of the demo server, if allowed. */
  demo: { command: string; args: string[] } | undefined;
}

export interface FirstBoot {
  key?: string;
  /** Token of a link that signs the owner in to the console. */
  consoleToken?: string;
  /** Path of the demo server below the base URL, if it was saved. */
  demoServer?: string;
}

/**
 * On an empty database, creates an owner, an organization, its Default project, a key, and a demo server with a
 * suite. On a database that a command initialized before the service, creates the key only, unless one exists.
 */
export async function bootstrap(db: Db, { key, demo }: FirstBootOptions): Promise<FirstBoot | undefined> {
  return db.transaction(async (trx) => {
    if (!(await isFirstBoot(trx))) return key === null ? undefined : keyForOwner(trx, key);
    const owner = await createUser(trx, { email: 'owner@drydock.local', name: 'Owner' });
    await trx.run(users.setOperator, { id: owner, operator: true });
    const { id, defaultProjectId } = await createOrganization(trx, { name: 'Drydock', owner });
    const demoServer = demo && (await saveDemo(trx, demo, defaultProjectId, owner));
    return {
      ...(key !== null && (await waysIn(trx, id, owner, key))),
      ...(demoServer !== undefined && { demoServer }),
    };
  });
}

async function keyForOwner(db: Db, key: string | undefined): Promise<FirstBoot | undefined> {
  const organizations = await listOrganizations(db);
  const [only] = organizations;
  if (!only || organizations.length > 1 || (await db.one(keys.any, {})).made) return undefined;
  const owner = (await db.rows(members.list, { organizationId: only.id })).find(
    ({ role }) => role === 'owner',
  );
  return owner && waysIn(db, only.id, owner.userId, key);
}

/** Creates a key and a console link. */
async function waysIn(
  db: Db,
  organization: string,
  user: string,
  key: string | undefined,
): Promise<FirstBoot> {
  const made = await createKey(db, { organization, user, name: 'First key', key });
  return { key: made.key, consoleToken: (await createConsoleLink(db, user)).token };
}

async function saveDemo(
  db: Db,
  demo: { command: string; args: string[] },
  projectId: string,
  userId: string,
): Promise<string> {
  const server = await db.one(servers.insert, {
    id: newId('srv'),
    projectId,
    name: 'demo',
    nameKey: nameKey('demo'),
    enabled: true,
    transportType: 'stdio',
    url: null,
    settings: { ...demo, headerNames: [], envNames: [], hasClientSecret: false },
    sealedId: null,
    pluginVersionId: null,
  });
  const { saveDemoSuite } = await import('./demo-suite.ts');
  await saveDemoSuite(db, { projectId, serverId: server.id, userId });
  return `/projects/${projectId}/servers/${server.id}`;
}
