import { Refusal } from '../../contract/errors.ts';
import type { Address, ProtocolSettings, Target } from '../../mcp/target.ts';
import type { Db } from '../../platform/database/database.ts';
import type { LiveServerRow } from '../../platform/database/queries/servers.ts';
import type { ServerSecrets } from '../base/server-secrets.ts';
import type { Services } from '../context/context.ts';
import { usableGrant } from '../servers/auth-method.ts';
import { tunnelRoute } from '../tunnels/route.ts';

/** Options of one call; see the contract. */
export interface LiveOptions {
  oauthAccessToken?: string | undefined;
  clientInfo?: ProtocolSettings['clientInfo'] | undefined;
  clientCapabilities?: Record<string, unknown> | undefined;
  mcpProtocolVersion?: string | undefined;
  supportedProtocolVersions?: string[] | undefined;
  firstPageOnly?: boolean | undefined;
}

/**
 * Headers and variables a caller adds to a connection. Connections are shared only between callers that add the same.
 */
export interface ConnectionOverrides {
  /** Cache key; reveals nothing about the values. */
  key: string;
  headers: Record<string, string>;
  env: Record<string, string>;
}

/** Address and protocol settings of a saved server. */
export function targetOf(
  services: Services,
  organizationId: string,
  server: LiveServerRow,
  options: LiveOptions,
  overrides?: ConnectionOverrides,
): Target {
  const protocol = protocolOf(server, options);
  const saved = addressOf(services, server, options);
  const { credential } = saved;
  const address = overrides ? async () => withOverrides(await saved.address(), overrides) : saved.address;
  return {
    key: JSON.stringify([organizationId, server.id, server.revision, credential, protocol, overrides?.key]),
    owner: organizationId,
    serverId: server.id,
    kind: server.transportType,
    address,
    protocol,
  };
}

/** The caller's headers and variables override the saved ones. */
function withOverrides(address: Address, { headers, env }: ConnectionOverrides): Address {
  if (address.kind === 'stdio')
    return { ...address, env: { ...address.env, ...env }, delivered: Object.keys(env) };
  const names = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const saved = Object.entries(address.headers).filter(([name]) => !names.has(name.toLowerCase()));
  return { ...address, headers: { ...Object.fromEntries(saved), ...headers } };
}

function protocolOf(server: LiveServerRow, options: LiveOptions): ProtocolSettings {
  const { clientInfo, mcpProtocolVersion, supportedProtocolVersions } = options;
  const clientCapabilities = options.clientCapabilities ?? server.settings.clientCapabilities;
  return {
    ...(clientInfo && { clientInfo }),
    ...(clientCapabilities && { clientCapabilities }),
    ...(mcpProtocolVersion !== undefined && { protocolVersion: mcpProtocolVersion }),
    ...(supportedProtocolVersions && { supportedVersions: supportedProtocolVersions }),
  };
}

/** The address of a server, with the name of its credential. */
function addressOf(
  services: Services,
  server: LiveServerRow,
  { oauthAccessToken: token }: LiveOptions,
): { credential: string; address: () => Promise<Address> } {
  const { settings } = server;
  if (server.transportType === 'stdio')
    return {
      credential: 'none',
      address: async () => {
        // Checked again, since the start may have been queued.
        await requireCommands(services);
        const { env = {} } = secretsOf(services, server);
        return { kind: 'stdio', command: settings.command ?? '', args: settings.args ?? [], env };
      },
    };
  const url = server.url ?? '';
  const grant = token === undefined ? usableGrant(server) : undefined;
  const http = async (): Promise<Address & { kind: 'http' }> => {
    const { headers = {} } = secretsOf(services, server);
    return { kind: 'http', url, headers, way: tunnelRoute(services, server) };
  };
  if (token !== undefined)
    return {
      credential: `token ${services.vault.fingerprint(token)}`,
      address: async () => {
        const { headers, ...rest } = await http();
        return {
          ...rest,
          headers: { ...without(headers, 'authorization'), authorization: `Bearer ${token}` },
        };
      },
    };
  if (grant === undefined) return { credential: 'none', address: http };
  const credential = services.grants.credential(grant);
  return { credential: `grant ${grant}`, address: async () => ({ ...(await http()), credential }) };
}

function secretsOf({ vault }: Services, server: LiveServerRow): ServerSecrets {
  const { sealedId: id, sealedKeyId: keyId, ciphertext } = server;
  if (id === null || keyId === null || ciphertext === null) return {};
  return vault.unseal({ id, keyId, ciphertext }) as ServerSecrets;
}

function without(headers: Record<string, string>, name: string): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([key]) => key.toLowerCase() !== name));
}

/** Commands saved while allowed must still be allowed when they run. */
export async function requireCommands({ trust }: Pick<Services, 'trust'>, db?: Db): Promise<void> {
  const problem = await trust.commandsRefused(db);
  if (problem !== undefined)
    throw new Refusal('FEATURE_NOT_SUPPORTED', problem, {
      details: { readiness: 'local_runtime_required', transport: 'stdio' },
    });
}
