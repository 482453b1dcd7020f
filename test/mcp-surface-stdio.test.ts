// @module-tag long
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { saveServer } from './support/live.ts';
import { program } from './support/process.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';
import { type Hostile, startHostile } from './targets/hostile.ts';

let service: TestService;
let target: Hostile;

beforeAll(async () => {
  service = await startTestService({ worker: false });
  target = await startHostile();
});
afterAll(async () => {
  await dispose(service);
  await target?.stop();
});

const command = (...args: string[]) => ({
  command: process.execPath,
  args: [program, 'mcp', ...args],
  env: {
    PATH: process.env['PATH'] ?? '',
    XDG_CONFIG_HOME: '/nonexistent',
    DRYDOCK_URL: service.origin,
    DRYDOCK_API_KEY: service.key,
  },
});

test('the surface speaks stdio in both eras, over a client of the service', async () => {
  const modern = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  await modern.connect(new StdioClientTransport(command()));
  onTestFinished(() => modern.close());
  const old = new OldClient({ name: 'test', version: '1' });
  await old.connect(new OldTransport(command('--toolsets', 'projects', '--read-only')));
  onTestFinished(() => old.close());

  expect((await modern.listTools()).tools).toHaveLength(17);
  expect((await old.listTools()).tools.map(({ name }) => name)).toEqual([
    'getProjectCapabilities',
    'listProjects',
  ]);
  const listed = await old.callTool({ name: 'listProjects', arguments: {} });
  expect(JSON.stringify(listed.content)).toContain(await service.defaultProject());
  const refused = await modern.callTool({
    name: 'diagnose_server',
    arguments: { server: 'srv', project: 'none' },
  });
  expect(refused.isError).toBe(true);
  expect(JSON.stringify(refused.content)).toContain('NOT_FOUND: No project');
});

test('a call that is cancelled over stdio is cancelled at the server', async () => {
  const { id } = await saveServer(service, { url: target.url('/odd') });
  const old = new OldClient({ name: 'test', version: '1' });
  await old.connect(new OldTransport(command()));
  onTestFinished(() => old.close());
  const giveUp = new AbortController();
  const params = { name: 'call_server_tool', arguments: { server: id, tool: 'slow' } };
  const called = old.callTool(params, undefined, { signal: giveUp.signal });
  called.catch(() => {});
  const seen = (rpc: string) => target.seen.filter((one) => one.rpc === rpc);
  await expect.poll(() => seen('tools/call').length).toBe(1);
  giveUp.abort();
  await expect(called).rejects.toThrow();
  await expect.poll(() => seen('notifications/cancelled').length).toBe(1);
});
