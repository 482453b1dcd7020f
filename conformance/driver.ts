/**
 * The client under test: our connection module, driven by one scenario of the conformance suite. The suite appends
 * the URL of its server to the command, and judges what arrives there.
 */
import { inspect } from 'node:util';
import type { Connection } from '../src/mcp/connection.ts';
import { Mcp } from '../src/mcp/mcp.ts';
import { loadConfig } from '../src/platform/config/load.ts';
import { Confinement } from '../src/platform/confinement/confinement.ts';
import { type Authorization, authorizationFor } from './authorization.ts';
import { sampleOf } from './sample.ts';

interface ToolCall {
  name: string;
  arguments: Record<string, unknown>;
}

interface Tool {
  name: string;
  inputSchema: Record<string, unknown>;
}

const url = process.argv[2] ?? '';
const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as Record<string, unknown> & {
  toolCalls?: ToolCall[];
};
const wait = { timeout: 20_000 };
/** One authorization, and one more when the server changes its mind about scopes or the authorization server. */
const maxAuthorizations = 3;

const loopback = { local: true, networks: [] };
const mcp = new Mcp({
  policy: async () => loopback,
  confinement: new Confinement(loadConfig().config),
  clientInfo: { name: 'drydock-conformance', version: '1.0.0' },
  pool: { connections: 1, processes: 1, idle: 1000, checkAfter: 1000 },
  now: Date.now,
});

const authorization = scenario.startsWith('auth/')
  ? authorizationFor(scenario, context, url, mcp.outbound)
  : undefined;

async function main(): Promise<void> {
  const connection = await authorized(join);
  try {
    await useEverything(connection);
  } finally {
    await connection.close();
  }
}

function join(): Promise<Connection> {
  const target = {
    owner: 'conformance',
    key: scenario,
    kind: 'http' as const,
    address: async () => ({ kind: 'http' as const, url, headers: {} }),
    protocol: {
      clientCapabilities: { elicitation: { form: { applyDefaults: true } }, sampling: {}, roots: {} },
    },
  };
  return mcp.join(target, wait, {
    attach: (client) => {
      client.setRequestHandler('elicitation/create', async ({ params }) => ({
        action: 'accept' as const,
        content:
          'requestedSchema' in params && scenario !== 'elicitation-sep1034-client-defaults'
            ? (sampleOf(params.requestedSchema as Record<string, unknown>) as Record<string, string>)
            : {},
      }));
      client.setRequestHandler('sampling/createMessage', async () => ({
        role: 'assistant' as const,
        model: 'none',
        content: { type: 'text' as const, text: 'sampled' },
      }));
      client.setRequestHandler('roots/list', async () => ({ roots: [] }));
    },
    ...(authorization && { authProvider: authorization.provider }),
  });
}

/** Does `work` again when it failed for want of a token that there now is. */
async function authorized<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    const before = authorization?.granted() ?? 0;
    try {
      return await work();
    } catch (error) {
      const after = authorization?.granted() ?? 0;
      if (after === before || after >= maxAuthorizations) throw reasonOf(error, authorization);
    }
  }
}

function reasonOf(error: unknown, authorization: Authorization | undefined): unknown {
  return authorization?.failure() ?? error;
}

async function useEverything(connection: Connection): Promise<void> {
  const ask = (method: string, params: Record<string, unknown> = {}): Promise<Record<string, unknown>> =>
    authorized(async () => (await connection.request(method, params, wait)).result);
  const { capabilities } = connection.identity;
  const has = (name: string): boolean => capabilities[name] !== undefined;

  if (has('tools') || !(has('prompts') || has('resources'))) {
    const { tools } = (await ask('tools/list')) as { tools: Tool[] };
    const calls = context.toolCalls ?? (await callsFor(connection, tools));
    // At once, as our service does it for several callers of one connection.
    await Promise.all(calls.map((call) => ask('tools/call', { ...call })));
  }
  if (has('resources')) {
    const { resources } = (await ask('resources/list')) as { resources: { uri: string }[] };
    for (const { uri } of resources) await ask('resources/read', { uri });
  }
  if (has('prompts')) {
    const { prompts } = (await ask('prompts/list')) as { prompts: { name: string }[] };
    for (const { name } of prompts) await ask('prompts/get', { name });
  }
}

async function callsFor(connection: Connection, tools: Tool[]): Promise<ToolCall[]> {
  const named = (name: string): Tool | undefined => tools.find((tool) => tool.name === name);
  const echo = named('json_schema_echo');
  const rich = named('json_schema_2020_12_tool');
  if (echo && rich) return [{ name: echo.name, arguments: { schema: rich.inputSchema } }];
  // The server of this scenario accepts no calls; it tests the effect of reading the schema.
  if (scenario === 'json-schema-ref-no-deref') return [];
  const usable = scenario === 'http-invalid-tool-headers' ? await usableIn(connection) : undefined;
  return tools
    .filter(({ name }) => usable?.has(name) ?? true)
    .map(({ name, inputSchema }) => ({
      name,
      arguments: sampleOf(inputSchema) as Record<string, unknown>,
    }));
}

/** Our service shows every tool as it came, also those whose marks forbid their use. The SDK tells them apart. */
async function usableIn(connection: Connection): Promise<Set<string>> {
  return new Set((await connection.client.listTools()).tools.map(({ name }) => name));
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${inspect(error)}\n`);
  process.exitCode = 1;
} finally {
  await mcp.close();
}
