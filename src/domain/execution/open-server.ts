import { Refusal } from '../../contract/errors.ts';
import type { DeclaredTool } from '../../evaluation/index.ts';
import { McpFailure } from '../../mcp/failures.ts';
import type { Conversation } from '../../mcp/mcp.ts';
import { Redactor } from '../../mcp/redactor.ts';
import { secretsOf, type Target } from '../../mcp/target.ts';
import type { ApiKeys } from '../../models/resolve.ts';
import type { LiveServerRow } from '../../platform/database/queries/servers.ts';
import type { CallFailure, CallOutcome, TrialServer } from '../../trials/tools.ts';
import { openSecrets } from '../base/server-secrets.ts';
import type { Services } from '../context/context.ts';
import { drain } from '../live/drain.ts';
import { type ConnectionOverrides, targetOf } from '../live/target.ts';
import type { DeliveredSecret } from '../secrets/deliver.ts';
import { secretsForServer } from '../secrets/for-server.ts';
import { loadWidget } from '../server-widgets/load.ts';
import type { PlaceSnapshot } from './place.ts';

/** Milliseconds per call, if the server has no timeout of its own. */
const callTimeout = 30_000;
/** Maximum number of characters of tool declarations; all of them go to the model with each step. */
const maxDeclared = 4 * 1024 * 1024;

/** On whose behalf a server is called, with which secrets. */
export interface ServerCaller {
  organizationId: string;
  connection: PlaceSnapshot['connection'];
  secrets: readonly DeliveredSecret[];
  /** Cache key of the secrets; reveals nothing about them. */
  secretsKey: string;
  apiKeys: ApiKeys;
}

interface Opening {
  onConnected?: () => void;
  /** Milliseconds to connect and list the tools. Default: the timeout of a call. */
  timeout?: number;
  signal?: AbortSignal;
  /** For visitors: errors contain only what the server itself says, not its address or how it is started. */
  hidesCauses?: boolean;
}

/** Connects like a run and lists the tools. Secrets given to the server are redacted from its output. */
export async function openServer(
  services: Services,
  { organizationId, connection, secrets, secretsKey, apiKeys }: ServerCaller,
  row: LiveServerRow,
  opening: Opening = {},
): Promise<TrialServer> {
  const given = secretsForServer(row, secrets);
  const overrides: ConnectionOverrides = {
    key: secretsKey,
    headers: { ...connection.headers, ...given.headers },
    env: given.env,
  };
  const options = {
    clientInfo: connection.clientInfo,
    clientCapabilities: connection.clientCapabilities,
    mcpProtocolVersion: connection.protocolVersion,
    supportedProtocolVersions: connection.supportedVersions,
  };
  const target = targetOf(services, organizationId, row, options, overrides);
  const timeout = row.settings.timeout ?? callTimeout;
  const own = await openSecrets(services, services.db, row);
  const { headers = {}, env = {}, clientSecret = '' } = own;
  const redactor = new Redactor([
    ...secretsOf({ kind: 'http', url: '', headers: { ...headers, ...given.headers, clientSecret } }),
    ...secretsOf({ kind: 'stdio', command: '', args: [], env: { ...env, ...given.env } }),
    ...secrets.map(({ value }) => value),
    ...Object.values(apiKeys).filter((key) => key !== undefined),
  ]);
  const tools = await toolsOf(services, target, { timeout, ...opening }, redactor).catch((error: unknown) => {
    if (!(error instanceof McpFailure) || given.withheld.length === 0) throw error;
    throw new McpFailure(error.kind, `${error.message}${withheldHint(given.withheld)}`, error.facts);
  });
  const declared = tools.map((tool) => ({ ...tool, serverId: row.id }) as unknown as DeclaredTool);
  const visit = visits(services, target, timeout, redactor, opening.hidesCauses);
  return {
    id: row.id,
    name: row.name,
    tools: declared.filter((tool) => typeof tool.name === 'string' && tool.name !== ''),
    call: (name, input, signal) => visit.ask('tools/call', { name, arguments: input }, signal),
    read: (uri, signal) => visit.ask('resources/read', { uri }, signal),
    widget: async (uri, signal) => {
      const loaded = await visit.talk(signal, (conversation) => loadWidget(conversation, uri));
      return 'failure' in loaded ? { problem: loaded.failure.message } : loaded;
    },
  };
}

/** Names the secrets the server was not given: a command that lacks a variable often exits without naming it. */
function withheldHint(names: readonly string[]): string {
  return `. Personal secrets not passed to this server, because its personalEnv does not list them: ${names.join(', ')}. A project administrator can add them`;
}

async function toolsOf(
  { mcp }: Services,
  target: Target,
  { onConnected, timeout, signal }: Opening & { timeout: number },
  redactor: Redactor,
): Promise<Record<string, unknown>[]> {
  try {
    return await mcp.use(target, { timeout, ...(signal && { signal }) }, async (conversation) => {
      onConnected?.();
      const { items = [] } = (await drain(conversation, 'tools')) ?? {};
      const size = items.reduce((sum, item) => sum + JSON.stringify(item).length, 0);
      if (size > maxDeclared)
        throw new McpFailure(
          'too-large',
          `The tool definitions are ${Math.ceil(size / 1024 / 1024)} MiB; the limit is ${maxDeclared >> 20} MiB`,
        );
      return redactor.learn(conversation.secrets()).hide(items);
    });
  } catch (error) {
    if (!(error instanceof McpFailure)) throw error;
    throw new McpFailure(error.kind, await redactor.hide(error.message), error.facts);
  }
}

interface Failed {
  failure: CallFailure;
}

/** Calls a server for a trial. Its failures become outcomes; the end of the trial and internal errors are thrown. */
function visits(
  { mcp }: Services,
  target: Target,
  timeout: number,
  redactor: Redactor,
  hidesCauses = false,
): {
  talk<T extends object>(
    signal: AbortSignal,
    work: (conversation: Conversation) => Promise<T>,
  ): Promise<T | Failed>;
  ask(method: string, params: Record<string, unknown>, signal: AbortSignal): Promise<CallOutcome>;
} {
  const talk = async <T extends object>(
    signal: AbortSignal,
    work: (conversation: Conversation) => Promise<T>,
  ): Promise<T | Failed> => {
    try {
      return await mcp.use(target, { timeout, signal }, async (conversation) =>
        redactor.learn(conversation.secrets()).hide(await work(conversation)),
      );
    } catch (error) {
      signal.throwIfAborted();
      // Running commands may have been forbidden meanwhile.
      if (!(error instanceof McpFailure || error instanceof Refusal)) throw error;
      const rpc = error instanceof McpFailure ? error.facts.rpc : undefined;
      const message = await redactor.hide(rpc?.message ?? error.message);
      if (rpc) return { failure: { message, code: rpc.code } };
      return {
        failure: hidesCauses ? { message: 'The server did not answer', behind: message } : { message },
      };
    }
  };
  return {
    talk,
    ask: (method, params, signal) =>
      talk(signal, async ({ ask }) => {
        const { result, bytes } = await ask(method, params);
        return { result, bytes };
      }),
  };
}
