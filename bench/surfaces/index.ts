import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client as McpClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createClient } from '../../src/surfaces/client/index.ts';
import { figure, ratios, show, table } from '../support/figures.ts';
import { start, stopAll } from '../support/processes.ts';
import { tokenCosts } from './tokens.ts';

/** Measures the overhead of the command line, the client and the MCP endpoint over the plain HTTP request. */

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 15);
const program = new URL('../../dist/program/main.js', import.meta.url).pathname;
const run = promisify(execFile);
const key = `sk_${'bench'.repeat(8)}`;
const dataDir = await mkdtemp(join(tmpdir(), 'drydock-bench-'));
await chmod(dataDir, 0o711);

try {
  const env = {
    DRYDOCK_DATA_DIR: dataDir,
    DRYDOCK_PORT: '0',
    DRYDOCK_BOOTSTRAP_KEY: key,
    DRYDOCK_RATE_LIMIT: 'off',
  };
  const service = await start([program, 'serve'], env, /API +(\S+)[\s\S]*Docs/);
  const baseUrl = service.match[1] as string;
  await help();
  await lists(baseUrl);
  await toolLists(baseUrl);
} finally {
  await stopAll();
  await rm(dataDir, { recursive: true, force: true });
}
tokens();

type Side = () => Promise<unknown>;

/** Milliseconds per side and round; the sides take turns. */
async function timed<Name extends string>(
  sides: Record<Name, Side>,
  times: number,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(sides) as Name[];
  const all = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (const name of names) await sides[name]();
  for (let round = 0; round < rounds; round++)
    for (const name of names) {
      const began = performance.now();
      for (let n = 0; n < times; n++) await sides[name]();
      all[name].push((performance.now() - began) / times);
    }
  return all;
}

async function help(): Promise<void> {
  const node =
    (...args: string[]): Side =>
    () =>
      run(process.execPath, args);
  const all = await timed(
    {
      bare: node('-e', '0'),
      overview: node(program, '--help'),
      command: node(program, 'servers', 'create', '--help'),
    },
    1,
  );
  const extra = (values: number[]): string =>
    show(figure(values.map((value, round) => value - (all.bare[round] as number))), 0);
  console.log(`Beside bare \`node -e 0\` (median [low–high] of ${rounds} interleaved rounds)`);
  console.log(
    table([
      ['', 'ratio', 'ms more'],
      ['drydock --help', show(ratios(all.overview, all.bare)), extra(all.overview)],
      ['drydock servers create --help', show(ratios(all.command, all.bare)), extra(all.command)],
    ]),
  );
}

async function lists(baseUrl: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}` };
  const client = createClient({ baseUrl, apiKey: key });
  const [project] = (await client.listProjects({})).items;
  const projectId = project?.id ?? '';
  for (let n = 0; n < 50; n++)
    await client.createProjectServer({ projectId, body: { name: `s${n}`, url: 'https://example.com/mcp' } });
  const agent = await agentAt(baseUrl, '/mcp');
  const env = { ...process.env, DRYDOCK_URL: baseUrl, DRYDOCK_API_KEY: key };
  const node = await timed(
    {
      HTTP: async () => (await fetch(`${baseUrl}/projects/${projectId}/servers`, { headers })).json(),
      client: () => client.listProjectServers({ projectId }),
      MCP: () =>
        agent.callTool({
          name: 'read_operation',
          arguments: { operation: 'listProjectServers', arguments: { projectId }, answerSize: 100_000 },
        }),
    },
    20,
  );
  const processes = await timed(
    {
      node: () =>
        run(process.execPath, [
          '-e',
          `fetch('${baseUrl}/projects/${projectId}/servers', {headers: {authorization: 'Bearer ${key}'}}).then((a) => a.json()).then((a) => console.log(a.items.length))`,
        ]),
      'command line, by id': () =>
        run(process.execPath, [program, 'servers', 'list', '--project', projectId], { env }),
      'command line, Default project': () => run(process.execPath, [program, 'servers', 'list'], { env }),
    },
    1,
  );
  await agent.close();
  console.log('\nA list of 51 servers');
  console.log(
    table([
      ['', 'ratio'],
      ['typed client to the same request with fetch', show(ratios(node.client, node.HTTP))],
      ['MCP tool to the same request with fetch', show(ratios(node.MCP, node.HTTP))],
      [
        'command line to a node that fetches, project by id',
        show(ratios(processes['command line, by id'], processes.node)),
      ],
      [
        'command line to a node that fetches, no project named',
        show(ratios(processes['command line, Default project'], processes.node)),
      ],
    ]),
  );
}

/** Measures tools/list of a connected agent. GET /me, the smallest request, is the baseline. */
async function toolLists(baseUrl: string): Promise<void> {
  const usual = await agentAt(baseUrl, '/mcp');
  const all = await agentAt(baseUrl, '/mcp/x/all');
  const headers = { authorization: `Bearer ${key}` };
  const figures = await timed(
    {
      HTTP: async () => (await fetch(`${baseUrl}/me`, { headers })).json(),
      usual: () => usual.listTools(undefined, { cacheMode: 'refresh' }),
      all: () => all.listTools(undefined, { cacheMode: 'refresh' }),
    },
    20,
  );
  await usual.close();
  await all.close();
  console.log('\ntools/list beside GET /me');
  console.log(
    table([
      ['', 'ratio'],
      ['/mcp', show(ratios(figures.usual, figures.HTTP))],
      ['/mcp/x/all', show(ratios(figures.all, figures.HTTP))],
    ]),
  );
}

async function agentAt(baseUrl: string, path: string): Promise<McpClient> {
  const agent = new McpClient(
    { name: 'bench', version: '1' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  const url = new URL(path, baseUrl);
  await agent.connect(
    new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization: `Bearer ${key}` } } }),
  );
  return agent;
}

function tokens(): void {
  console.log('\nTokens of the list of tools, as a host shows it to a model (gpt-tokenizer)');
  console.log(
    table([
      ['address', 'tools', 'tokens'],
      ...tokenCosts().map(({ address, tools, tokens: count }) => [address, String(tools), String(count)]),
    ]),
  );
}
