import { randomBytes } from 'node:crypto';
import { Refusal } from '../../contract/errors.ts';
import type { Db } from '../../platform/database/database.ts';
import { nameKey } from '../../platform/database/name-key.ts';
import * as grants from '../../platform/database/queries/grants.ts';
import * as servers from '../../platform/database/queries/servers.ts';
import * as tunnels from '../../platform/database/queries/tunnels.ts';
import { newId } from '../../platform/ids.ts';
import { hashToken, newToken } from '../../platform/secrets/tokens.ts';
import { namesOfSecrets } from '../base/server-secrets.ts';
import { writeInProject } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import { configuredOrigin, type ProjectContext } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { refuseManaged, refuseTakenName, requireCommandAdmin } from '../servers/rules.ts';
import { writeServer } from '../servers/update.ts';
import { addressOfTunnel, connectPath } from './address.ts';

/** Milliseconds during which a client may reconnect with its token. */
const tokenLasts = 7 * 24 * 3600_000;
/** Open tunnels per organization. */
const maxOpen = 200;

export const createTunnel: Verb<'createTunnel'> = (context, { body: { name } }) =>
  writeInProject(context, async (db) => {
    const before = await db.row(servers.lockNamed, { projectId: context.project.id, nameKey: nameKey(name) });
    if (before) await refuseManaged(db, before);
    if (before?.transportType === 'stdio') requireCommandAdmin(context);
    const serverId = before?.id ?? newId('srv', context.clock());
    const earlier = before && (await db.row(tunnels.lock, { projectId: context.project.id, serverId }));
    if (!earlier || earlier.closedAt !== null) await refuseTooMany(context, db);
    const slug = earlier?.slug ?? randomBytes(10).toString('hex');
    const url = addressOfTunnel(configuredOrigin(context), slug);
    const saved = before
      ? await lead(context, db, before, url, earlier?.openedBy !== context.actor.user.id)
      : await save(context, db, { id: serverId, name, url });
    const [secret, connectToken] = [newToken(), newToken()];
    const tunnel = await db.one(tunnels.open, {
      serverId,
      organizationId: context.actor.organization.id,
      projectId: context.project.id,
      slug,
      serverUrl: url,
      secretHash: hashToken(secret),
      connectTokenHash: hashToken(connectToken),
      tokenLasts,
      openedBy: context.actor.user.id,
      openedWith: context.actor.keyId ?? null,
    });
    await audit(db, context, 'tunnel.create', serverId);
    return {
      serverId,
      name: saved.name,
      existed: before !== undefined,
      ...(before?.url && before.url !== url && { previousUrl: before.url }),
      ...(before && { previousTransportType: before.transportType }),
      slug,
      url: `${url}?k=${secret}`,
      connectToken,
      connectTokenExpiresAt: tunnel.connectTokenExpiresAt,
      relayWsUrl: `${context.origin().replace(/^http/, 'ws')}${connectPath}`,
      secretVersion: tunnel.secretVersion,
    };
  }).catch(refuseTakenName(name));

async function refuseTooMany({ actor }: ProjectContext, db: Db): Promise<void> {
  const { count } = await db.one(tunnels.countOpen, { organizationId: actor.organization.id });
  if (count >= maxOpen)
    throw new Refusal('RATE_LIMITED', `The organization has ${maxOpen} tunnels open. Close one of them`, {
      details: { reason: 'TOO_MANY_TUNNELS' },
    });
}

/**
 * Points a saved server to the tunnel. The server's stored secrets are kept only if the tunnel belongs to the same
 * user.
 */
async function lead(
  context: ProjectContext,
  db: Db,
  before: servers.ServerRow,
  url: string,
  another: boolean,
): Promise<servers.ServerRow> {
  const { command: _, args: __, ...settings } = before.settings;
  const after: servers.ServerRow = { ...before, transportType: 'http', url, settings };
  if (another) {
    const grant = await db.row(grants.remove, { serverId: before.id });
    if (grant) await context.vault.forget(db, grant.sealedId);
  }
  return (await writeServer(context, db, before, after, { forgetAll: another })).server;
}

function save(
  context: ProjectContext,
  db: Db,
  { id, name, url }: Record<'id' | 'name' | 'url', string>,
): Promise<servers.ServerRow> {
  return db.one(servers.insert, {
    id,
    projectId: context.project.id,
    name,
    nameKey: nameKey(name),
    enabled: true,
    transportType: 'http',
    url,
    settings: namesOfSecrets({}),
    sealedId: null,
    pluginVersionId: null,
  });
}
