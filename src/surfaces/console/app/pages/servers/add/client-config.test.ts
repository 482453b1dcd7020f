import { expect, test } from 'vitest';
import { bodyOf, readClientConfig } from './client-config.ts';

function bodies(text: string): unknown[] {
  return readClientConfig(text).servers.map(bodyOf);
}

test('the usual clients are understood, whatever they call the list', () => {
  const command = { name: 'files', transportType: 'stdio', command: 'npx', args: ['-y', 'files', '/tmp'] };
  const entry = { command: 'npx', args: ['-y', 'files', '/tmp'] };
  for (const config of [
    { mcpServers: { files: entry } },
    { servers: { files: { type: 'stdio', ...entry } }, inputs: [] },
    { mcp: { servers: { files: entry } } },
    { context_servers: { files: { source: 'custom', command: { path: 'npx', args: entry.args } } } },
    { mcp: { files: { type: 'local', command: ['npx', ...entry.args], enabled: true } } },
    { 'amp.mcpServers': { files: entry } },
    { mcpServers: [{ name: 'files', ...entry }] },
    { files: entry },
    { name: 'files', ...entry },
  ])
    expect(bodies(JSON.stringify(config))).toEqual([command]);
});

test('several at once, by address and by command, with what is secret', () => {
  const { servers } = readClientConfig(`{
    "mcpServers": {
      "weather": { "url": "https://weather.example.com/mcp", "headers": { "Authorization": "Bearer abc // x," }, },
      "old": { "serverUrl": "https://old.example.com/sse", "disabled": true, "autoApprove": ["*"] },
      "local": { "command": "node", "args": ["a.js", 1], "env": { "KEY": "\${input:key}", "N": 3 } },
    },
  }`);
  expect(servers.map(bodyOf)).toEqual([
    {
      name: 'weather',
      url: 'https://weather.example.com/mcp',
      headers: { Authorization: 'Bearer abc // x,' },
    },
    { name: 'old', url: 'https://old.example.com/sse', enabled: false },
    {
      name: 'local',
      transportType: 'stdio',
      command: 'node',
      args: ['a.js', '1'],
      env: { KEY: '${input:key}', N: '3' },
    },
  ]);
  expect(servers.map(({ notes }) => notes)).toEqual([
    [],
    ['Ignored: autoApprove'],
    ['KEY contains a placeholder, not its value'],
  ]);
});

test('pieces of a configuration are named after what they reach', () => {
  expect(bodies('https://mcp.example.com/v1')).toEqual([
    { name: 'mcp.example.com', url: 'https://mcp.example.com/v1' },
  ]);
  expect(bodies('"harbour": { "httpUrl": "http://127.0.0.1:1/mcp" },')).toEqual([
    { name: 'harbour', url: 'http://127.0.0.1:1/mcp' },
  ]);
  expect(bodies('{"command": "npx", "args": ["-y", "@scope/ships"]}')).toEqual([
    { name: 'ships', transportType: 'stdio', command: 'npx', args: ['-y', '@scope/ships'] },
  ]);
});

test.each([
  ['', undefined],
  ['{"mcpServers": ', 'Not JSON'],
  ['{"mcpServers": {}}', 'The JSON has no entry'],
  ['[1, null, "x"]', 'The JSON has no entry'],
  [JSON.stringify({ a: { b: { c: { d: { e: { url: 'https://x.example' } } } } } }), 'The JSON has no entry'],
])('what is no configuration is said: %s', (text, problem) => {
  const reading = readClientConfig(text);
  expect(reading.servers).toEqual([]);
  expect(reading.problem?.slice(0, problem?.length)).toBe(problem);
});
