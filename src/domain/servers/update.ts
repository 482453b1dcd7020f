import { Refusal } from '../../contract/errors.ts';
import { problemOfTransport } from '../../contract/servers.ts';
import type { Db } from '../../platform/database/database.ts';
import { nameKey } from '../../platform/database/name-key.ts';
import * as authorization from '../../platform/database/queries/server-authorization.ts';
import * as servers from '../../platform/database/queries/servers.ts';
import { found } from '../base/refusals.ts';
import {
  given,
  namesOfSecrets,
  openSecrets,
  type ServerSecrets,
  sealSecrets,
} from '../base/server-secrets.ts';
import { ownerIn, writeInProject } from '../context/access.ts';
import { audit } from '../context/audit.ts';
import type { ProjectContext } from '../context/context.ts';
import type { Verb } from '../context/verb.ts';
import { authMethodOf } from './auth-method.ts';
import { presentServer } from './present.ts';
import {
  checkAddress,
  checkTransport,
  refuseManaged,
  refuseTakenName,
  requireCommandAdmin,
} from './rules.ts';
import { misdirectedSecrets, secretNames } from './secret-recipients.ts';

const xaaFields = [
  'useXaa',
  'xaaAuthzIssuer',
  'xaaAllowPathScopedIssuer',
  'xaaSubject',
  'xaaEmail',
  'xaaIdentityAssertionFormat',
  'xaaClientAuth',
];

export const updateProjectServer: Verb<'updateProjectServer'> = async (context, { serverId, body }) => {
  const { headers, env, clientSecret, clearClientSecret, clearXaaConfig, ...plain } = body;
  return writeInProject(context, async (db) => {
    const which = { projectId: context.project.id, id: serverId };
    const before = found(await db.row(servers.lock, which), 'server');
    await refuseManaged(db, before);
    const after = withPlainFields(before, plain, clearXaaConfig ?? false);
    await checkTransport({ ...context, db }, after.transportType);
    if ([before, after].some(({ transportType }) => transportType === 'stdio')) requireCommandAdmin(context);
    // Only checked on change: the server may have a tunnel address of this service, which the network policy may
    // forbid.
    if (after.url !== before.url) await checkAddress({ ...context, db }, after.url);
    const sent = given({ headers, env, clientSecret });
    const { server, dropped } = await writeServer(context, db, before, after, { sent, clearClientSecret });
    await audit(db, context, 'server.update', serverId);
    return { ...presentServer(server), ...(dropped.length > 0 && { droppedSecrets: dropped }) };
  }).catch(refuseTakenName(body.name ?? ''));
};

/** Changes to the stored secrets. */
interface SecretChange {
  sent?: ServerSecrets;
  clearClientSecret?: boolean | undefined;
  /** Drops all stored secrets, even if their recipient stays the same. */
  forgetAll?: boolean;
}

/** Writes the new state of a server. Drops stored secrets whose recipient changes. */
export async function writeServer(
  context: ProjectContext,
  db: Db,
  before: servers.ServerRow,
  after: servers.ServerRow,
  { sent = {}, clearClientSecret = false, forgetAll = false }: SecretChange,
): Promise<{ server: servers.ServerRow; dropped: (keyof ServerSecrets)[] }> {
  const { id: serverId } = before;
  const stored = await openSecrets(context, db, before);
  const secrets: ServerSecrets = { ...stored, ...sent };
  if (clearClientSecret) delete secrets.clientSecret;
  const misdirected = forgetAll ? secretNames : misdirectedSecrets(before, after, stored);
  const dropped = misdirected.filter((name) => sent[name] === undefined && secrets[name] !== undefined);
  for (const name of dropped) delete secrets[name];
  const touched = Object.keys(sent).length > 0 || dropped.length > 0 || clearClientSecret;
  const sealedId = touched
    ? await sealSecrets(context.vault, db, ownerIn(context), secrets)
    : before.sealedId;
  Object.assign(after.settings, namesOfSecrets(secrets));
  const server = await db.one(servers.update, { ...after, sealedId, nameKey: nameKey(after.name) });
  if (authorizedOtherwise(before, after) || secrets.headers !== stored.headers)
    await db.run(authorization.forgetDemand, { serverId });
  if (sent.clientSecret !== undefined || secrets.clientSecret === undefined)
    await db.run(authorization.unbind, { serverId });
  if (touched && before.sealedId !== null) await context.vault.forget(db, before.sealedId);
  return { server, dropped };
}

function authorizedOtherwise(before: servers.ServerRow, after: servers.ServerRow): boolean {
  return before.url !== after.url || authMethodOf(before.settings) !== authMethodOf(after.settings);
}

type PlainFields = Omit<
  Parameters<Verb<'updateProjectServer'>>[1]['body'],
  'headers' | 'env' | 'clientSecret' | 'clearClientSecret' | 'clearXaaConfig'
>;

/** The row after the edit. Switching the transport drops the address of the other one. */
function withPlainFields(
  before: servers.ServerRow,
  change: PlainFields,
  clearXaa: boolean,
): servers.ServerRow {
  const { name, enabled, transportType = before.transportType, url, ...rest } = change;
  const settings: servers.ServerSettings = { ...before.settings, ...given(rest) };
  let address = url ?? before.url ?? undefined;
  if (transportType !== before.transportType) {
    if (transportType === 'http') {
      if (change.command === undefined) delete settings.command;
      if (change.personalEnv === undefined) delete settings.personalEnv;
      delete settings.args;
    } else if (url === undefined) address = undefined;
  }
  if (clearXaa) for (const field of xaaFields) delete settings[field];
  const { command, personalEnv } = settings;
  const problem = problemOfTransport({ transportType, url: address, command, personalEnv });
  if (problem) throw new Refusal('VALIDATION_ERROR', `${problem.path.join('.')}: ${problem.message}`);
  return {
    ...before,
    name: name ?? before.name,
    enabled: enabled ?? before.enabled,
    transportType,
    url: address ?? null,
    settings,
  };
}
