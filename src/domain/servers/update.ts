import { Refusal } from '../../contract/errors.ts';
import { problemOfTransport } from '../../contract/servers.ts';
import {
  lockServer,
  type ServerRow,
  type ServerSettings,
  updateServer,
} from '../../platform/database/queries/servers.ts';
import { ownerIn, writeInProject } from '../access.ts';
import { audit } from '../audit.ts';
import type { Verb } from '../verb.ts';
import { presentServer } from './present.ts';
import {
  checkAddress,
  checkTransport,
  noSuchServer,
  refuseManaged,
  refuseTakenName,
  requireCommandAdmin,
} from './rules.ts';
import { given, openSecrets, type ServerSecrets, sealSecrets, traces } from './secrets.ts';

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
    const before = await lockServer(db, context.project.id, serverId);
    if (!before) throw noSuchServer();
    await refuseManaged(db, before);
    const after = withPlainFields(before, plain, clearXaaConfig ?? false);
    await checkTransport({ ...context, db }, after.transportType);
    if ([before, after].some(({ transportType }) => transportType === 'stdio')) requireCommandAdmin(context);
    await checkAddress({ ...context, db }, after.url);
    const secrets: ServerSecrets = {
      ...(await openSecrets(context, db, before)),
      ...given({ headers, env, clientSecret }),
    };
    if (clearClientSecret) delete secrets.clientSecret;
    const touched =
      headers !== undefined || env !== undefined || clientSecret !== undefined || clearClientSecret;
    if (touched) after.sealedId = await sealSecrets(context.vault, db, ownerIn(context), secrets);
    Object.assign(after.settings, traces(secrets));
    const server = await updateServer(db, after);
    if (touched && before.sealedId !== null) await context.vault.forget(db, before.sealedId);
    await audit(db, context, 'server.update', serverId);
    return presentServer(server);
  }).catch(refuseTakenName(body.name ?? ''));
};

type PlainFields = Omit<
  Parameters<Verb<'updateProjectServer'>>[1]['body'],
  'headers' | 'env' | 'clientSecret' | 'clearClientSecret' | 'clearXaaConfig'
>;

/** The row after the edit. Switching the transport drops the address of the other one. */
function withPlainFields(before: ServerRow, change: PlainFields, clearXaa: boolean): ServerRow {
  const { name, enabled, transportType = before.transportType, url, ...rest } = change;
  const settings: ServerSettings = { ...before.settings, ...given(rest) };
  let address = url ?? before.url ?? undefined;
  if (transportType !== before.transportType) {
    if (transportType === 'http') {
      if (change.command === undefined) delete settings.command;
      delete settings.args;
    } else if (url === undefined) address = undefined;
  }
  if (clearXaa) for (const field of xaaFields) delete settings[field];
  const problem = problemOfTransport({ transportType, url: address, command: settings.command });
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
