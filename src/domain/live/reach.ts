import { Refusal } from '../../contract/errors.ts';
import type { Answer } from '../../mcp/connection.ts';
import { McpFailure } from '../../mcp/failures.ts';
import type { Conversation, Visit } from '../../mcp/mcp.ts';
import type { Address, ProtocolSettings, Target } from '../../mcp/target.ts';
import type { Db } from '../../platform/database/database.ts';
import * as servers from '../../platform/database/queries/servers.ts';
import type { ProjectContext, ServerContext, Services } from '../context.ts';
import { found } from '../refusals.ts';
import type { ServerSecrets } from '../servers/secrets.ts';
import { wayTo } from '../tunnels/way.ts';
import { diagnosisTimeout } from './advice.ts';
import { lacksGrant, usableGrant } from './auth-method.ts';
import { noteOAuthDemand } from './oauth-demand.ts';
import { oauthRequired, translated } from './refusal.ts';

type LiveServerRow = servers.LiveServerRow;

/** What a caller may say about one call; see the contract. */
export interface LiveOptions {
  oauthAccessToken?: string | undefined;
  clientInfo?: ProtocolSettings['clientInfo'] | undefined;
  clientCapabilities?: Record<string, unknown> | undefined;
  mcpProtocolVersion?: string | undefined;
  supportedProtocolVersions?: string[] | undefined;
  firstPageOnly?: boolean | undefined;
}

const callTimeout = 30_000;

/** A saved server, ready to be talked to. */
export interface Reached {
  server: LiveServerRow;
  target: Target;
}

/** A server as it may be talked to by this caller. */
export async function reach(
  context: ProjectContext,
  server: LiveServerRow,
  options: LiveOptions,
): Promise<Reached> {
  if (server.transportType === 'stdio') await requireCommands(context, context.db);
  return { server, target: targetOf(context, context.actor.organization.id, server, options) };
}

/** Also a command that was saved when it was allowed runs only while it is. */
async function requireCommands({ trust }: Pick<Services, 'trust'>, db?: Db): Promise<void> {
  const problem = await trust.commandsRefused(db);
  if (problem !== undefined)
    throw new Refusal('FEATURE_NOT_SUPPORTED', problem, {
      details: { readiness: 'local_runtime_required', transport: 'stdio' },
    });
}

/** What one caller brings to a connection, which is then shared only with those who bring the same. */
export interface Brought {
  /** Names it without telling anything. */
  key: string;
  headers: Record<string, string>;
  env: Record<string, string>;
}

/** Where and how to talk to a saved server. */
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

/** What is brought takes the place of what is saved with the server: that is what it is brought for. */
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

/** Where the server is, with the name of the credential that goes there. */
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
        // Again: it may have waited for its turn to run.
        await requireCommands(services);
        const { env = {} } = secretsOf(services, server);
        return { kind: 'stdio', command: settings.command ?? '', args: settings.args ?? [], env };
      },
    };
  const url = server.url ?? '';
  const grant = token === undefined ? usableGrant(server) : undefined;
  const http = async (): Promise<Address & { kind: 'http' }> => {
    const { headers = {} } = secretsOf(services, server);
    return { kind: 'http', url, headers, way: wayTo(services, server) };
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
 * Does `work` over a connection to the server: a warm one if there is one, or `once`, on one of its own that says what
 * the server is now. What goes wrong there leaves as a refusal.
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

/** The result goes to the caller as it is; what is wrong with it is written down for the operator. */
function loggingComplaints(
  { log, requestId, afterwards }: ProjectContext,
  server: LiveServerRow,
  conversation: Conversation,
): Conversation {
  const report = async (method: string, answer: Answer): Promise<void> => {
    const complaint = await answer.complaint();
    if (complaint === undefined) return;
    log.info('A result does not follow the protocol', {
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
      // The caller gets the result whatever is wrong with it, and does not wait until that is known.
      afterwards(() => void report(method, answer));
      return answer;
    },
  };
}

/** The same error, once it is remembered that the server asked for OAuth. */
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

/** New tokens were imported while the old ones were refused, so nothing was carried out yet. */
function replaced(error: unknown): boolean {
  return error instanceof McpFailure && error.facts.grantGone === true;
}

/** What would be refused by the server is refused before it is asked. */
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
