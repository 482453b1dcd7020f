import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { scaled } from '../../test/support/slowdown.ts';
import { answerLegacy, type Exchange, initializeResult } from '../../test/targets/legacy.ts';
import { listen, readRpc, sendJson } from '../../test/targets/listen.ts';
import { Outbound } from './outbound.ts';
import { type ProbeFindings, probe } from './probe.ts';
import { maxProbeBytes } from './probe-answer.ts';

type Answer = (exchange: Exchange) => void | Promise<void>;

interface Probing {
  headers?: Record<string, string>;
  timeout?: number;
}

/** Probes a server that answers with `answer`. */
async function probing(
  answer: Answer,
  { headers = {}, timeout = 20_000 }: Probing = {},
): Promise<ProbeFindings & { url: string }> {
  const { port, stop } = await listen(async (request, response) => {
    const { rpc } = await readRpc(request);
    const path = request.url ?? '';
    await answer({ request, response, rpc, path, origin: `http://127.0.0.1:${port}` });
  });
  onTestFinished(stop);
  const outbound = new Outbound(async () => ({ local: true, networks: [] }));
  onTestFinished(() => outbound.close());
  const url = `http://127.0.0.1:${port}/mcp`;
  return { url, ...(await probe(outbound, url, headers, { timeout })) };
}

const event = (message: object) => `event: message\ndata: ${JSON.stringify(message)}\n\n`;
const notification = event({ jsonrpc: '2.0', method: 'notifications/message', params: { data: 'ahoy' } });
const initialized = { jsonrpc: '2.0', id: 1, result: initializeResult() };

async function stream(response: ServerResponse, chunks: Iterable<string>): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  await pipeline(Readable.from(chunks, { objectMode: false, highWaterMark: 1 }), response);
}

/** Answers `initialize` with a stream, and anything else as a legacy server. */
const withStream = (chunks: () => Iterable<string>): Answer => {
  return (exchange) =>
    exchange.rpc?.method === 'initialize' ? stream(exchange.response, chunks()) : answerLegacy(exchange);
};

describe('an answer in a stream', () => {
  const twoLines = JSON.stringify(initialized).replace(',"id"', '\ndata: ,"id"');
  test.each<[string, string]>([
    ['alone', event(initialized)],
    ['after notifications', notification.repeat(3) + event(initialized)],
    ['with CRLF', (notification + event(initialized)).replaceAll('\n', '\r\n')],
    ['with CR', (notification + event(initialized)).replaceAll('\n', '\r')],
    ['in two lines of data, among comments', `: hello\nid: 7\ndata: ${twoLines}\n\n`],
    ['without the empty line at the end', `data: ${JSON.stringify(initialized)}`],
  ])('%s is found, in pieces of any size', async (_, text) => {
    for (const size of [1, 7, text.length]) {
      const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
      const findings = await probing(withStream(() => pieces));
      expect(findings).toMatchObject({ transport: 'streamable-http', legacyVersion: '2025-11-25' });
    }
  });

  test('is shown as far as its events are whole', async () => {
    const chunks = [notification + event(initialized) + 'data: {"half'];
    const { attempts } = await probing(withStream(() => chunks));
    expect(attempts[1]?.response?.body).toBe(notification + event(initialized));
  });
});

describe('what is read is bounded', () => {
  function* endless(piece: string): Generator<string> {
    for (;;) yield piece;
  }

  test.each<[string, string]>([
    ['notifications without end', notification.repeat(50)],
    ['one event without end', 'x'.repeat(4096)],
    ['tiny pieces without end', ': x\n'],
  ])('%s', async (_, piece) => {
    let sent = 0;
    const counted = function* () {
      for (const each of endless(piece)) {
        sent += each.length;
        yield each;
      }
    };
    const findings = await probing(withStream(counted));
    expect(findings.failure).toMatchObject({ kind: 'too-large' });
    expect(findings.failure?.message).toContain('more than 1 MiB');
    expect(findings.attempts.at(-1)?.error).toBe(findings.failure?.message);
    // More than the limit is sent, because socket buffers take in some data too.
    expect(sent).toBeLessThan(16 * 1024 * 1024);
  });

  test('a large document', async () => {
    const findings = await probing(({ response }) =>
      sendJson(response, { ...initialized, filler: 'x'.repeat(maxProbeBytes) }),
    );
    expect(findings.failure).toMatchObject({ kind: 'too-large' });
  });

  test('a deep document', async () => {
    const deep = '{"in":'.repeat(50_000) + '1' + '}'.repeat(50_000);
    const text = JSON.stringify(initialized).replace('"capabilities":{', `"capabilities":{"deep":${deep},`);
    const findings = await probing(({ response }) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(text);
    });
    expect(findings.failure).toMatchObject({ kind: 'too-large', facts: { code: 'JSON_BOUNDS' } });
  });

  test('the time, however slow each step is', async () => {
    const started = performance.now();
    const findings = await probing(
      async (exchange) => {
        if (exchange.path !== '/mcp') return new Promise(() => {});
        await new Promise((resolve) => setTimeout(resolve, 300));
        answerLegacy(exchange);
      },
      { timeout: 1200 },
    );
    expect(performance.now() - started).toBeLessThan(scaled(1200 + 1500));
    expect(findings).toMatchObject({
      legacyVersion: '2025-11-25',
      authorization: { problem: 'Reading the OAuth metadata timed out' },
    });
  });
});

describe('the record', () => {
  const secret = 'q7/Vx+2Lr="k9';
  const headers = { 'X-Key': secret, Accept: 'text/secret-type' };

  test('holds what was sent and what came, without secrets', async () => {
    const { attempts, url } = await probing(
      (exchange) => {
        exchange.response.setHeader('mcp-session-id', 'one-session');
        exchange.response.setHeader('x-echo', String(exchange.request.headers['x-key']));
        if (exchange.rpc?.method === 'initialize')
          return sendJson(exchange.response, { ...initialized, echo: exchange.request.headers['x-key'] });
        answerLegacy(exchange);
      },
      { headers },
    );
    expect(attempts).toHaveLength(2);
    expect(attempts[1]).toEqual({
      name: 'initialize',
      request: {
        method: 'POST',
        url,
        headers: {
          'x-key': '[hidden]',
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: expect.objectContaining({ method: 'initialize', jsonrpc: '2.0', id: 1 }),
      },
      response: {
        status: 200,
        headers: expect.objectContaining({ 'mcp-session-id': '[hidden]', 'x-echo': '[hidden]' }),
        contentType: 'application/json',
        body: JSON.stringify({ ...initialized, echo: '[hidden]' }),
      },
      durationMs: expect.any(Number),
    });
  });

  test('says why there was no answer', async () => {
    const { attempts, failure } = await probing(({ request }) => void request.socket.destroy());
    expect(attempts).toHaveLength(1);
    expect(attempts[0]).toMatchObject({ name: 'server/discover', error: failure?.message });
    expect(attempts[0]).not.toHaveProperty('response');
    expect(failure).toMatchObject({ kind: 'reset' });
  });

  test('names the place a redirect led to', async () => {
    const { attempts, url, legacyVersion } = await probing((exchange) => {
      if (exchange.path === '/mcp') exchange.response.writeHead(307, { location: '/mcp/' }).end();
      else answerLegacy(exchange);
    });
    expect(legacyVersion).toBe('2025-11-25');
    expect(attempts.map(({ request }) => request.url)).toEqual([`${url}/`, `${url}/`]);
  });

  test.each([
    ['a page', 'text/html', (text: string) => `<p>${text.replaceAll('"', '&quot;')}</p>`],
    ['JSON', 'application/json', (text: string) => JSON.stringify([text]).replaceAll('/', '\\/')],
    ['a long text', 'text/plain', (text: string) => text.repeat(10_000)],
    ['a link', 'text/plain', (text: string) => `/?key=${encodeURIComponent(text)}`],
  ])('hides a secret in %s', async (_, type, write) => {
    const findings = await probing(
      ({ request, response }) =>
        void response.writeHead(400, { 'content-type': type }).end(write(String(request.headers['x-key']))),
      { headers },
    );
    const body = findings.attempts[0]?.response?.body ?? '';
    expect(body).toContain('[hidden]');
    expect(body.length).toBeLessThanOrEqual(2048);
    expect(body.replaceAll('[hidden]', '')).not.toMatch(/q7|2Lr|k9/);
    expect(JSON.stringify(findings)).not.toContain('2Lr');
  });

  test('hides a secret so long that what is kept ends in the middle of it', async () => {
    const long = 'abcdefghij'.repeat(1500);
    const { attempts } = await probing(
      ({ response }) => void response.writeHead(400, { 'content-type': 'text/plain' }).end(long.repeat(6)),
      { headers: { 'X-Key': long } },
    );
    expect(attempts[0]?.response?.body).not.toContain('abcdef');
  });
});
