import { Refusal } from '../../contract/errors.ts';
import type { Answer } from '../../mcp/connection.ts';
import { McpFailure } from '../../mcp/failures.ts';
import type { Conversation, Visit } from '../../mcp/mcp.ts';
import type { Address, ProtocolSettings, Target } from '../../mcp/target.ts';
import type { Db } from '../../platform/database/database.ts';
import * as servers from '../../platform/database/queries/servers.ts';
import { found } from '../base/refusals.ts';
import type { ServerSecrets } from '../base/server-secrets.ts';
import type { ProjectContext, ServerContext, Services } from '../context/context.ts';
import { lacksGrant, usableGrant } from '../servers/auth-method.ts';
import { tunnelRoute } from '../tunnels/route.ts';
import { diagnosisTimeout } from './advice.ts';
import { noteOAuthDemand } from './oauth-demand.ts';
import { oauthRequired, translated } from './refusal.ts';

type LiveServerRow = servers.LiveServerRow;

/** Options of one call; see the contract. */
export interface LiveOptions {
  oauthAccessToken?: string | undefined;
  clientInfo?: ProtocolSettings['clientInfo'] | undefined;
  clientCapabilities?: Record<string, unknown> | undefined;
  mcpProtocolVersion?: string | undefined;
  supportedProtocolVersions?: string[] | undefined;
  firstPageOnly?: boolean | undefined;
}

/** Milliseconds per call, if the server has no timeout of its own. */
const callTimeout = 30_000;

/** A saved server, ready to connect to. */
export interface Reached {
  server: LiveServerRow;
  target: Target;
}

/** Resolves a server for this caller. Refuses a stdio server if commands are not allowed. */
export async function reach(
  context: ProjectContext,
  server: LiveServerRow,
  options: LiveOptions,
): Promise<Reached> {
  if (server.transportType === 'stdio') await requireCommands(context, context.db);
  return { server, target: targetOf(context, context.actor.organization.id, server, options) };
}

/** Commands saved while allowed must still be allowed when they run. */
async function requireCommands({ trust }: Pick<Services, 'trust'>, db?: Db): Promise<void> {
  const problem = await trust.commandsRefused(db);
  if (problem !== undefined)
    throw new Refusal('FEATURE_NOT_SUPPORTED', problem, {
      details: { readiness: 'local_runtime_required', transport: 'stdio' },
    });
}

/**
 * Headers and variables a caller adds to a connection. Connections are shared only between callers that add the same.
 */
export interface Brought {
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
  brought?: Brought,
): Target {
  const protocol = protocolOf(server, options);
  const saved = addressOf(services, server, options);
  const { credential } = saved;
  const address = brought ? async () => withBrought(await saved.address(), brought) : saved.address;
  return {
    key: JSON.stringify([organizationId, server.id, server.revision, credential, protocol, brought?.key]),
    owner: organizationId,
    serverId: server.id,
    kind: server.transportType,
    address,
    protocol,
  };
}

/** The caller's headers and variables override the saved ones. */
function withBrought(address: Address, { headers, env }: Brought): Address {
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

/**
 * Runs `work` over a connection to the server: with `use`, a cached connection if there is one; with `once`, a new
 * one. Server failures become refusals.
 */
export async function withServer<T>(
  context: ServerContext,
  options: LiveOptions,
  work: (conversation: Conversation, target: Target) => Promise<T>,
  how: 'use' | 'once' = 'use',
): Promise<T> {
  const attempt = async (reached: Reached, again = false): Promise<T> => {
    requireGrant(reached, options);
    const { server, target } = reached;
    try {
      const result = await context.mcp[how](target, callWait(context, server), (conversation) =>
        work(loggingComplaints(context, server, conversation), target),
      );
      await noteOAuthDemand(context, server, options, false);
      return result;
    } catch (error) {
      if (replaced(error) && !again) throw error;
      throw await noted(context, server, options, translated(error, server));
    }
  };
  try {
    return await attempt(await reach(context, context.server, options));
  } catch (error) {
    if (!replaced(error)) throw error;
    const which = { projectId: context.project.id, id: context.server.id };
    const now = found(await context.db.row(servers.findLive, which), 'server');
    return attempt(await reach(context, now, options), true);
  }
}

/** Logs schema violations of a result, which is returned unchanged. */
function loggingComplaints(
  { log, requestId, afterwards }: ProjectContext,
  server: LiveServerRow,
  conversation: Conversation,
): Conversation {
  const report = async (method: string, answer: Answer): Promise<void> => {
    const complaint = await answer.complaint();
    if (complaint === undefined) return;
    log.info('Result violates the protocol', {
      requestId,
      serverId: server.id,
      method,
      complaint: complaint.slice(0, 500),
    });
  };
  return {
    ...conversation,
    ask: async (method, params) => {
      const answer = await conversation.ask(method, params);
      // Validation runs after the response, so the caller does not wait for it.
      afterwards(() => void report(method, answer));
      return answer;
    },
  };
}

/** Records a demand for OAuth and returns the error. */
export async function noted(
  context: ServerContext,
  server: LiveServerRow,
  options: LiveOptions,
  error: unknown,
): Promise<unknown> {
  if (error instanceof Refusal && error.code === 'OAUTH_REQUIRED')
    await noteOAuthDemand(context, server, options, true);
  return error;
}

/** Tokens were replaced while the old ones were refused, so the call was not executed and can be retried. */
function replaced(error: unknown): boolean {
  return error instanceof McpFailure && error.facts.grantGone === true;
}

/** Refuses at once what the server would refuse for lack of a grant. */
export function requireGrant({ server }: Reached, { oauthAccessToken }: LiveOptions): void {
  if (oauthAccessToken === undefined && server.transportType === 'http' && lacksGrant(server))
    throw oauthRequired(server, server.grantDead ? { grantDead: true } : {});
}

function callWait(context: ProjectContext, server: LiveServerRow): Visit {
  const { afterwards } = context;
  return { timeout: server.settings.timeout ?? callTimeout, signal: context.callerGone(), afterwards };
}

export function diagnosisWait(
  context: ProjectContext,
  server: LiveServerRow,
): { timeout: number; signal: AbortSignal } {
  const timeout = Math.min(server.settings.timeout ?? diagnosisTimeout, diagnosisTimeout);
  return { timeout, signal: context.callerGone() };
}
