import { expect, test } from 'vitest';
import { Bridge } from './bridge.ts';

test('a widget asks its server for so much and no more, and what it said is not kept beyond that', async () => {
  const sent: string[] = [];
  const bridge = new Bridge({
    tool: {},
    input: {},
    result: {},
    csp: { connectDomains: [], resourceDomains: [], frameDomains: [], baseUriDomains: [] },
    viewport: { width: 1, height: 1 },
    version: '1',
    callTool: async () => ({ result: {} }),
    readResource: async () => ({ result: {} }),
    send: async (text) => void sent.push(text),
    resize: () => {},
  });
  const params = { name: 'look_up', arguments: { port: 'x'.repeat(1_000_000) } };
  for (let id = 0; id < 20; id++) {
    bridge.receive(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }));
    await bridge.quiet();
  }
  expect(bridge.calls).toHaveLength(4);
  expect(sent).toHaveLength(20);
  expect(JSON.parse(sent.at(-1) ?? '')).toMatchObject({ id: 19, error: { code: -32000 } });
});
