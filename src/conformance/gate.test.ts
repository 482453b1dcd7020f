import { expect, onTestFinished, test } from 'vitest';
import { Outbound } from '../mcp/outbound.ts';
import { Gate } from './gate.ts';

test.each([
  '{"method":"tools/call","params":{"name":"delete_all"}}',
  '{"method":"tools\\/call","params":{"name":"delete_all"}}',
  '{"method":"\\u0074ools/call","params":{"name":"delete_all"}}',
  '[{"method":"ping"},{"method":"tools/call","params":{"name":"delete_all"}}]',
])('blocks a call of a tool that is not read-only: %s', async (body) => {
  const outbound = new Outbound(async () => ({ local: true, networks: [] }));
  const gate = new Gate(
    outbound,
    { kind: 'http', url: 'http://127.0.0.1:9/', headers: {} },
    new Set(['read']),
  );
  await gate.open();
  onTestFinished(async () => {
    await gate.close();
    await outbound.close();
  });
  const response = await fetch(gate.url, { method: 'POST', body });
  expect([response.status, gate.takeRefused()]).toEqual([403, true]);
});
