import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { AddressPolicy } from '../platform/network/address-guard.ts';
import type { McpFailure } from './failures.ts';
import { Outbound, type OutboundOptions } from './outbound.ts';

const open: AddressPolicy = { local: true, networks: [] };
const closed: AddressPolicy = { local: false, networks: [] };

async function serve(answer: RequestListener): Promise<{ port: number; requests: () => number }> {
  const server = createServer(answer);
  let requests = 0;
  server.on('request', () => requests++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { port: (server.address() as AddressInfo).port, requests: () => requests };
}

/** An outbound client whose policy the test can change. */
function changing(options: OutboundOptions = {}) {
  const state = { policy: open };
  const outbound = new Outbound(async () => state.policy, options);
  onTestFinished(() => outbound.close());
  return { state, fetch: outbound.fetch };
}

const refused = { kind: 'address', facts: { notSent: true } };
const failureOf = (response: Promise<Response>): Promise<McpFailure> =>
  response.then(
    () => Promise.reject(new Error('It did not fail')),
    (error: McpFailure) => error,
  );

test('a policy that changes is followed at once, over open connections and for names that were judged', async () => {
  const { port, requests } = await serve((_, response) => void response.end('fine'));
  const { state, fetch } = changing({ resolve: async () => [{ address: '127.0.0.1', family: 4 }] });
  const urls = ['127.0.0.1', 'inside.example.com'].map((host) => `http://${host}:${port}/`);
  for (const url of urls) expect(await (await fetch(url)).text()).toBe('fine');
  state.policy = closed;
  for (const url of urls) expect(await failureOf(fetch(url))).toMatchObject(refused);
  expect(requests()).toBe(2);
  state.policy = open;
  for (const url of urls) expect(await (await fetch(url)).text()).toBe('fine');
});

test('a policy that changes while a name is looked up counts as it is then', async () => {
  const { port, requests } = await serve((_, response) => void response.end('fine'));
  const { state, fetch } = changing({
    resolve: async () => {
      state.policy = closed;
      return [{ address: '127.0.0.1', family: 4 }];
    },
  });
  expect(await failureOf(fetch(`http://slow.example.com:${port}/`))).toMatchObject(refused);
  expect(requests()).toBe(0);
});

test('what is under way when the policy changes may end', async () => {
  let finish = (): void => {};
  const { port, requests } = await serve((_, response) => {
    response.writeHead(200).write('begun, ');
    finish = () => void response.end('done');
  });
  const { state, fetch } = changing();
  const answer = fetch(`http://127.0.0.1:${port}/`);
  await expect.poll(requests).toBe(1);
  state.policy = closed;
  expect(await failureOf(fetch(`http://127.0.0.1:${port}/`))).toMatchObject(refused);
  finish();
  expect(await (await answer).text()).toBe('begun, done');
});
