// @module-tag long
import { request } from 'node:http';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Drydock } from './support/process.ts';

/** fetch does not let one choose the Host header. */
function statusFor(url: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject).end();
  });
}

const program = new URL('../dist/program/main.js', import.meta.url).pathname;

async function overStdio(): Promise<StdioClientTransport> {
  return new StdioClientTransport({
    command: process.execPath,
    args: [program, 'demo-server', '--stdio'],
    stderr: 'ignore',
  });
}

async function startHttp(): Promise<string> {
  const demo = new Drydock(['demo-server', '--port', '0'], {});
  onTestFinished(async () => void (await demo.end('SIGTERM')));
  await expect.poll(() => demo.stdout).toContain('http://');
  return /http:\S+/.exec(demo.stdout)?.[0] as string;
}

async function overHttp(): Promise<StreamableHTTPClientTransport> {
  return new StreamableHTTPClientTransport(new URL(await startHttp()));
}

const ways = [
  ['stdio', 'auto', overStdio],
  ['stdio', 'legacy', overStdio],
  ['HTTP', 'auto', overHttp],
  ['HTTP', 'legacy', overHttp],
] as const;

describe.each(ways)('over %s, era %s', (_transport, mode, open) => {
  async function connect(): Promise<Client> {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(await open());
    onTestFinished(() => client.close());
    return client;
  }

  test('it speaks the newest revision it is asked in, and shows all it has', async () => {
    const client = await connect();
    expect(client.getNegotiatedProtocolVersion()).toBe(mode === 'auto' ? '2026-07-28' : '2025-11-25');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual([
      'add_numbers',
      'flood_dock',
      'inspect_hull',
      'launch_ship',
      'list_ships',
    ]);
    for (const tool of tools) {
      expect(tool.title).toBeTruthy();
      expect(tool.annotations?.readOnlyHint).toBeTypeOf('boolean');
      expect(tool.annotations?.destructiveHint).toBeTypeOf('boolean');
      expect(tool.annotations?.openWorldHint).toBe(false);
    }
    expect((await client.listPrompts()).prompts).toMatchObject([{ name: 'inspection_report' }]);
    expect((await client.listResources()).resources).toMatchObject([{ uri: 'harbour://rules' }]);
    expect((await client.listResourceTemplates()).resourceTemplates).toMatchObject([
      { uriTemplate: 'harbour://ships/{name}' },
    ]);
  });

  test('tools answer with structure, page, and fail as results', async () => {
    const client = await connect();
    const call = (name: string, args: Record<string, unknown> = {}) =>
      client.callTool({ name, arguments: args });
    expect(await call('add_numbers', { numbers: [1, 2, 3.5] })).toMatchObject({
      structuredContent: { sum: 6.5 },
    });
    const seen: string[] = [];
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const { structuredContent } = await call('list_ships', { offset });
      const page = structuredContent as { ships: { name: string }[]; nextOffset?: number };
      seen.push(...page.ships.map(({ name }) => name));
      offset = page.nextOffset;
    }
    expect(new Set(seen).size).toBe(8);
    expect(await call('inspect_hull', { ship: 'eider' })).toMatchObject({
      structuredContent: { ship: 'Eider', seaworthy: false },
    });
    expect(await call('inspect_hull', { ship: 'Titanic' })).toMatchObject({ isError: true });
    expect(await call('launch_ship')).toMatchObject({ isError: true });
    expect(await call('flood_dock', { seconds: 0.05 })).toMatchObject({ content: [{ type: 'text' }] });
  });

  test('a slow tool ends with its caller', async () => {
    const client = await connect();
    const slow = client.callTool(
      { name: 'flood_dock', arguments: { seconds: 60 } },
      { signal: AbortSignal.timeout(200) },
    );
    await expect(slow).rejects.toThrow(/abort|timeout|cancel/i);
    expect(await client.callTool({ name: 'add_numbers', arguments: { numbers: [1] } })).toMatchObject({
      structuredContent: { sum: 1 },
    });
  });

  test('prompt, resource and template are read', async () => {
    const client = await connect();
    const prompt = await client.getPrompt({ name: 'inspection_report', arguments: { ship: 'Heron' } });
    expect(JSON.stringify(prompt.messages)).toContain('Heron');
    expect((await client.readResource({ uri: 'harbour://rules' })).contents[0]).toMatchObject({
      mimeType: 'text/plain',
    });
    const { contents } = await client.readResource({ uri: 'harbour://ships/Heron' });
    expect(JSON.parse((contents[0] as { text: string }).text)).toMatchObject({
      name: 'Heron',
      kind: 'yacht',
    });
    await expect(client.readResource({ uri: 'harbour://ships/Titanic' })).rejects.toThrow();
  });
});

test('a page of another host cannot use it, and other paths are not there', async () => {
  const url = await startHttp();
  expect((await fetch(url.replace('/mcp', '/other'))).status).toBe(404);
  expect(await statusFor(url, 'evil.example')).toBe(403);
  expect(await statusFor(url, new URL(url).host)).not.toBe(403);
});

test('a wrong port is one line', async () => {
  const { code, stderr } = await new Drydock(['demo-server', '--port', 'x'], {}).outcome();
  expect(code).toBe(2);
  expect(stderr).toBe('drydock: --port: "x" is not a port. Use 0 to 65535\n');
});
