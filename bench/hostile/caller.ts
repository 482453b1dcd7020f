import { once } from 'node:events';
import { Agent, request } from 'node:http';

/**
 * Calls a tool again and again, one call after the other, until the time is up, and drops what it is answered with. A
 * process of its own: reading megabytes would hold up whoever measures beside it.
 */
const [, , url = '', key = '', seconds = '0'] = process.argv;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

console.log('ready');
const end = performance.now() + Number(seconds) * 1000;
let calls = 0;
for (; performance.now() < end; calls++) await call();
console.log(`made ${calls} calls`);
agent.destroy();

async function call(): Promise<void> {
  const sent = request(url, {
    agent,
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  });
  sent.end('{"toolName":"x"}');
  const [response] = (await once(sent, 'response')) as [NodeJS.ReadableStream];
  response.resume();
  await once(response, 'end');
}
