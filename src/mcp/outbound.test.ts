import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { AddressPolicy } from '../platform/network/address-guard.ts';
import type { McpFailure } from './failures.ts';
import { Outbound, type OutboundOptions } from './outbound.ts';

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;
const loopbackOnly: AddressPolicy = { local: true, networks: [] };

interface Listening {
  port: number;
  /** Number of accepted connections. */
  readonly connections: number;
  readonly requests: number;
}

/** Starts a server that is closed after the test, including hanging connections. */
async function serve(answer: RequestListener, address = '127.0.0.1'): Promise<Listening> {
  const server = createServer(answer);
  const seen = { port: 0, connections: 0, requests: 0 };
  server.on('connection', () => seen.connections++);
  server.on('request', () => seen.requests++);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, address, resolve);
  });
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  seen.port = (server.address() as AddressInfo).port;
  return seen;
}

function outbound(policy: AddressPolicy, options: OutboundOptions = {}): Outbound {
  const made = new Outbound(async () => policy, options);
  onTestFinished(() => made.close());
  return made;
}

/** Resolves to each list of addresses in turn, then always to the last one. Records the host names. */
function resolver(...answers: string[][]) {
  const asked: string[] = [];
  const resolve = async (hostname: string) => {
    const addresses = answers[Math.min(asked.length, answers.length - 1)] ?? [];
    asked.push(hostname);
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  return { asked, resolve };
}

/** Reads the response to its end and returns the failure. */
async function failureOf(response: Promise<Response>): Promise<McpFailure> {
  try {
    await (await response).text();
  } catch (error) {
    return error as McpFailure;
  }
  throw new Error('It did not fail');
}

const fine: RequestListener = (_, response) => void response.end('fine');

function redirectTo(location: (hop: number) => string): RequestListener {
  let hop = 0;
  return (_, response) => void response.writeHead(302, { location: location(hop++) }).end('moved');
}

describe('names', () => {
  test('that resolve to loopback are refused without a connection', async () => {
    const target = await serve(fine);
    const { asked, resolve } = resolver(['127.0.0.1']);
    const { fetch } = outbound({ local: false, networks: [] }, { resolve });
    const failure = await failureOf(fetch(`http://inside.example.com:${target.port}/`));
    expect(failure).toMatchObject({ name: 'McpFailure', kind: 'address', facts: { notSent: true } });
    expect(failure.message).toContain('inside.example.com resolves to an address that is not allowed');
    expect(failure.message).toContain('127.0.0.1 is a loopback address');
    expect(asked).toEqual(['inside.example.com']);
    expect(target.connections).toBe(0);
  });

  test.each([
    'http://127.0.0.1',
    'http://localhost',
    'http://a.localhost.',
    'http://[::1]',
    'http://2130706433',
  ])('%s is refused without a look', async (origin) => {
    const target = await serve(fine);
    const { asked, resolve } = resolver(['127.0.0.1']);
    const { fetch } = outbound({ local: false, networks: [] }, { resolve });
    const failure = await failureOf(fetch(`${origin}:${target.port}/`));
    expect(failure).toMatchObject({ kind: 'address', facts: { notSent: true } });
    expect([asked.length, target.connections]).toEqual([0, 0]);
  });

  test.each(['169.254.169.254', '169.254.1.1', '0.0.0.0', 'fd00:ec2::254', '::ffff:169.254.169.254'])(
    'that resolve to %s are refused under every policy',
    async (address) => {
      const { resolve } = resolver([address]);
      const { fetch } = outbound({ local: true, networks: ['169.254.0.0/16', 'fd00::/8'] }, { resolve });
      expect(await failureOf(fetch('http://name.example.com/'))).toMatchObject({ kind: 'address' });
    },
  );

  test('are connected to what was checked, and resolved once for each connection', async () => {
    const target = await serve(fine, '127.0.0.2');
    const other = await serve(fine, '127.0.0.1');
    // From the second lookup on the address is a refused one, so a repeated lookup would fail.
    const { asked, resolve } = resolver(['127.0.0.2'], ['127.0.0.1']);
    const { fetch } = outbound({ local: false, networks: ['127.0.0.2/32'] }, { resolve });
    const url = `http://rebinding.example.com:${target.port}/`;
    expect(await (await fetch(url)).text()).toBe('fine');
    expect(asked).toEqual(['rebinding.example.com']);
    // The connection to the checked address is reused. The delay gives the client time to return it to the pool.
    await delay(20);
    expect(await (await fetch(url)).text()).toBe('fine');
    expect([asked.length, target.connections, target.requests]).toEqual([1, 1, 2]);
    expect(await failureOf(fetch(`http://rebinding.example.com:${other.port}/`))).toMatchObject({
      kind: 'address',
    });
    expect([asked.length, other.connections]).toEqual([2, 0]);
  });

  test('with an allowed and a refused address are reached at the allowed one', async () => {
    const target = await serve(fine, '127.0.0.2');
    const { resolve } = resolver(['169.254.169.254', '127.0.0.1', '127.0.0.2', '10.0.0.1']);
    const { fetch } = outbound({ local: false, networks: ['127.0.0.2/32'] }, { resolve });
    const response = await fetch(`http://mixed.example.com:${target.port}/`);
    expect(await response.text()).toBe('fine');
    expect(target.connections).toBe(1);
  });

  test('that do not exist, or have no address, are said to be wrong', async () => {
    const missing = async () => {
      throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
    };
    const { resolve: nothing } = resolver([]);
    for (const resolve of [missing, nothing]) {
      const { fetch } = outbound(loopbackOnly, { resolve });
      const failure = await failureOf(fetch('http://nowhere.example.com/'));
      expect(failure).toMatchObject({ kind: 'dns', facts: { notSent: true } });
      expect(failure.message).toContain('nowhere.example.com does not resolve');
    }
  });
});

describe('redirects', () => {
  test('are not followed by fetch', async () => {
    const target = await serve(redirectTo(() => 'http://169.254.169.254/'));
    const response = await outbound(loopbackOnly).fetch(`http://127.0.0.1:${target.port}/`);
    expect([response.status, response.headers.get('location')]).toEqual([302, 'http://169.254.169.254/']);
  });

  test.each(['http://169.254.169.254/', 'http://[::ffff:a9fe:a9fe]/', 'http://metadata.example.com/latest'])(
    'to %s are refused',
    async (location) => {
      const target = await serve(redirectTo(() => location));
      const { resolve } = resolver(['169.254.169.254']);
      const { follow } = outbound(loopbackOnly, { resolve });
      const failure = await failureOf(follow(`http://127.0.0.1:${target.port}/`));
      expect(failure).toMatchObject({ kind: 'address', facts: { notSent: true } });
      expect(failure.message).toContain('metadata address');
      expect(target.requests).toBe(1);
    },
  );

  test('to what the policy forbids are refused though the first address is allowed', async () => {
    const inside = await serve(fine, '127.0.0.1');
    const target = await serve(
      redirectTo(() => `http://inside.example.com:${inside.port}/`),
      '127.0.0.2',
    );
    const { resolve } = resolver(['127.0.0.2'], ['127.0.0.1']);
    const { follow } = outbound({ local: false, networks: ['127.0.0.2/32'] }, { resolve });
    expect(await failureOf(follow(`http://outside.example.com:${target.port}/`))).toMatchObject({
      kind: 'address',
    });
    expect([target.requests, inside.connections]).toEqual([1, 0]);
  });

  test('five are followed, a sixth is not', async () => {
    const patient = await serve((request, response) => {
      const hop = Number(request.url?.slice(1));
      if (hop === 5) response.end('arrived');
      else response.writeHead(307, { location: `/${hop + 1}` }).end();
    });
    const endless = await serve(redirectTo((hop) => `/${hop}`));
    const { follow } = outbound(loopbackOnly);
    expect(await (await follow(`http://127.0.0.1:${patient.port}/0`)).text()).toBe('arrived');
    const failure = await failureOf(follow(`http://127.0.0.1:${endless.port}/`));
    expect(failure).toMatchObject({ kind: 'redirect', facts: { status: 302 } });
    expect(endless.requests).toBe(6);
  });

  test('of a POST are given back, so that nothing is sent twice', async () => {
    const target = await serve(redirectTo(() => '/elsewhere'));
    const { follow } = outbound(loopbackOnly);
    const response = await follow(`http://127.0.0.1:${target.port}/`, { method: 'POST', body: 'x' });
    expect([response.status, target.requests]).toEqual([302, 1]);
  });

  test.each(['file:///etc/passwd', 'gopher://127.0.0.1:70/', 'http://'])(
    'to %s lead nowhere',
    async (location) => {
      const target = await serve(redirectTo(() => location));
      const failure = await failureOf(outbound(loopbackOnly).follow(`http://127.0.0.1:${target.port}/`));
      expect(failure.name).toBe('McpFailure');
      expect(target.requests).toBe(1);
    },
  );
});

describe('answers', () => {
  const small = { messageBytes: 64 * kibibyte };

  async function ask(answer: RequestListener, options: OutboundOptions = small): Promise<Response> {
    const { port } = await serve(answer);
    return outbound(loopbackOnly, options).fetch(`http://127.0.0.1:${port}/`);
  }

  const stream: RequestListener = (_, response) =>
    void response.writeHead(200, { 'content-type': 'text/event-stream' });

  test('up to the limit come whole, larger ones are cut', async () => {
    const body = Buffer.alloc(small.messageBytes, 'a');
    const whole = await ask((_, response) => void response.end(body));
    expect((await whole.text()).length).toBe(small.messageBytes);
    const failure = await failureOf(ask((_, response) => void response.end(Buffer.concat([body, body]))));
    expect(failure).toMatchObject({ name: 'McpFailure', kind: 'too-large' });
    expect(failure.message).toMatch(/^127\.0\.0\.1:\d+ answered with more than/);
  });

  test('without end are cut, and the connection with them', async () => {
    let closed = false;
    const failure = await failureOf(
      ask((_, response) => {
        const filler = Buffer.alloc(16 * kibibyte);
        const more = (): void => void (response.destroyed || response.write(filler, more));
        response.on('close', () => (closed = true));
        more();
      }),
    );
    expect(failure.kind).toBe('too-large');
    await expect.poll(() => closed).toBe(true);
  });

  test('of an error are quoted from their beginning', async () => {
    const response = await ask((_, response) => {
      response.writeHead(500).end(Buffer.alloc(mebibyte, 'e'));
    });
    expect(response.status).toBe(500);
    expect((await response.text()).length).toBe(64 * kibibyte);
  });

  test('as an event stream may be long in total', async () => {
    const event = `data: ${'x'.repeat(kibibyte)}\n\n`;
    const response = await ask((request, response) => {
      stream(request, response);
      for (let sent = 0; sent < 512; sent++) response.write(event);
      response.end();
    });
    expect((await response.text()).length).toBe(512 * event.length);
  });

  test.each([
    ['\n', '\n'],
    ['\r\n', '\r\n'],
    ['\r\n\r', '\n'],
    ['\r', '\r'],
  ])('as an event stream may end its messages with %j and %j in two pieces', async (first, second) => {
    const half = 512;
    const response = await ask((request, response) => {
      stream(request, response);
      let sent = 0;
      const next = (): void => {
        if (sent++ === half) return void response.end();
        response.write(`${'data: '.padEnd(kibibyte, 'x')}${first}`);
        setImmediate(() => {
          response.write(second);
          setImmediate(next);
        });
      };
      next();
    });
    expect((await response.text()).length).toBe(half * (kibibyte + first.length + second.length));
  });

  test('as an event stream may not hold a message beyond the limit', async () => {
    const failure = await failureOf(
      ask((request, response) => {
        stream(request, response);
        response.write('data: first\n\n');
        for (let sent = 0; sent < 5; sent++) response.write(Buffer.alloc(16 * kibibyte, 'x'));
      }),
    );
    expect(failure).toMatchObject({ name: 'McpFailure', kind: 'too-large' });
  });

  test.each(['gzip', 'br', 'deflate', 'identity, gzip'])('packed as %s are refused', async (coding) => {
    let accepted: string | undefined;
    const failure = await failureOf(
      ask((request, response) => {
        accepted = request.headers['accept-encoding'];
        response.writeHead(200, { 'content-encoding': coding }).end(gzipSync('{}'));
      }),
    );
    expect(failure.name).toBe('McpFailure');
    expect(failure.message).toContain(`sent a compressed response (${coding})`);
    expect(accepted).toBe('identity');
  });

  test('with too many headers are refused', async () => {
    const answer: RequestListener = (_, response) => {
      for (let index = 0; index < 10; index++) response.setHeader(`x-${index}`, 'a'.repeat(kibibyte));
      response.end('fine');
    };
    const failure = await failureOf(ask(answer, { headerBytes: 8 * kibibyte }));
    expect(failure).toMatchObject({ kind: 'too-large', facts: { code: 'UND_ERR_HEADERS_OVERFLOW' } });
    expect(failure.message).toContain('more headers than are accepted');
    expect((await ask(answer, { headerBytes: 16 * kibibyte })).status).toBe(200);
  });

  test('with a header in UTF-8 are read all the same', async () => {
    const response = await ask((request) => {
      request.socket.end(
        'HTTP/1.1 200 OK\r\nx-ship: 船\r\ncontent-length: 4\r\nconnection: close\r\n\r\nfine',
      );
    });
    expect(await response.text()).toBe('fine');
  });

  test.each([600, 999])(
    'with the status %i, which does not exist, are failures that name it',
    async (status) => {
      const failure = await failureOf(ask((_, response) => void response.writeHead(status).end('no')));
      expect(failure).toMatchObject({ name: 'McpFailure', kind: 'status', facts: { status } });
    },
  );

  test('that stop in the middle are failures', async () => {
    const cut: RequestListener = (request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('half');
      setImmediate(() => request.socket.destroy());
    };
    expect(await failureOf(ask(cut))).toMatchObject({ name: 'McpFailure', kind: 'reset' });
  });

  test('end with the caller', async () => {
    const target = await serve((_, response) => void response.write('and then'));
    const stop = new AbortController();
    const asked = outbound(loopbackOnly).fetch(`http://127.0.0.1:${target.port}/`, { signal: stop.signal });
    await expect.poll(() => target.requests).toBe(1);
    stop.abort(new Error('enough'));
    await expect(asked).rejects.toThrow('enough');
  });
});

describe('many answers at once', () => {
  const limits = { messageBytes: mebibyte, totalBytes: 3 * mebibyte };
  const size = 768 * kibibyte;

  /** Sends all but the last byte, which `finish` sends. */
  async function holding(): Promise<{ target: Listening; finish: () => void }> {
    const open: (() => void)[] = [];
    const target = await serve((_, response) => {
      response.writeHead(200, { 'content-length': String(size) }).write(Buffer.alloc(size - 1, 'a'));
      open.push(() => response.end('a'));
    });
    return { target, finish: () => open.splice(0).forEach((end) => end()) };
  }

  test('stay within the limit for all', async () => {
    const { target, finish } = await holding();
    const { fetch } = outbound(loopbackOnly, limits);
    let settled = 0;
    const asked = Array.from({ length: 8 }, () =>
      fetch(`http://127.0.0.1:${target.port}/`).finally(() => settled++),
    );
    const outcomes = Promise.allSettled(asked);
    // The byte budget has room for four; the others fail while the four wait for their last byte.
    await expect.poll(() => settled, { timeout: 10_000 }).toBe(4);
    finish();
    const refused = (await outcomes).filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(4);
    for (const { reason } of refused as PromiseRejectedResult[])
      expect(reason).toMatchObject({ name: 'McpFailure', kind: 'busy' });
    // The cause is the shared budget, not the limit of a single answer.
    for (const { reason } of refused as PromiseRejectedResult[])
      expect(String(reason)).not.toContain('answered with more than');
  });

  test('leave nothing counted behind', async () => {
    const { target, finish } = await holding();
    const { fetch } = outbound(loopbackOnly, limits);
    const url = `http://127.0.0.1:${target.port}/`;
    for (let round = 0; round < 5; round++) {
      const stop = new AbortController();
      const given = Promise.allSettled([1, 2, 3].map(() => fetch(url, { signal: stop.signal })));
      await expect.poll(() => target.requests).toBe((round + 1) * 3);
      stop.abort();
      await given;
    }
    finish();
    const all = Promise.all([1, 2, 3].map(async () => (await fetch(url)).text()));
    await expect.poll(() => target.requests).toBe(18);
    finish();
    expect((await all).map((text) => text.length)).toEqual([size, size, size]);
  });
});
