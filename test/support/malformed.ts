import fc from 'fast-check';
import { marker } from './hostile.ts';

export interface Message {
  bytes: Buffer;
}

const message = (bytes: Buffer): Message => ({
  bytes,
  ...{ [fc.toStringMethod]: () => `\n${JSON.stringify(bytes.toString('latin1').slice(0, 2_000))}\n` },
});

const get = (...headers: string[]): string =>
  ['GET /api/v1/me HTTP/1.1', 'host: x', ...headers, '', ''].join('\r\n');
const post = (headers: string[], body: string): string =>
  [
    'POST /api/v1/projects/prj_none/servers HTTP/1.1',
    'host: x',
    'authorization: Bearer {key}',
    'content-type: application/json',
    ...headers,
    '',
    body,
  ].join('\r\n');

/** Messages that break one rule of HTTP each. `{key}` is a working key. */
const broken: string[] = [
  '',
  '\r\n',
  '\r\n\r\n\r\n',
  '\0\0\0\0',
  'GET /api/v1/me\r\n',
  'GET /api/v1/me\r\n\r\n',
  'GET\r\n\r\n',
  'GET  HTTP/1.1\r\n\r\n',
  'GET  /api/v1/me HTTP/1.1\r\nhost: x\r\n\r\n',
  'GET /api/v1/me x HTTP/1.1\r\nhost: x\r\n\r\n',
  'GET /api/v1/me HTTP/9.9\r\nhost: x\r\n\r\n',
  'GET /api/v1/me HTTP/0.9\r\nhost: x\r\n\r\n',
  'GET /api/v1/me HTTP/1.0\r\n\r\n',
  'GET /api/v1/me http/1.1\r\nhost: x\r\n\r\n',
  'GET /api/v1/me HTTP/1.1\r\n\r\n',
  'GET /api/v1/me HTTP/1.1\nhost: x\n\n',
  'GET /api/v1/me HTTP/1.1\rhost: x\r\r',
  'GET api HTTP/1.1\r\nhost: x\r\n\r\n',
  'GET /a\0b HTTP/1.1\r\nhost: x\r\n\r\n',
  'GET /\xff\xfe HTTP/1.1\r\nhost: x\r\n\r\n',
  `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`,
  'CONNECT evil.example:443 HTTP/1.1\r\nhost: x\r\n\r\n',
  'CONNECT /api/v1/me HTTP/1.1\r\nhost: x\r\n\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nhost: x\r\n\r\n',
  '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  'SSH-2.0-x\r\n',
  '{"name":"a"}',
  get('host: y'),
  get('host : y'),
  get('no colon'),
  get(': empty name'),
  get('bad name: x'),
  get('b\xe4d: x'),
  get('x: a\0b'),
  get('x: a\x01b'),
  get('x: a\rb'),
  get('x: a', ' folded'),
  get(`authorization: Bearer sk_${marker}\x01`),
  get(`authorization: Bearer sk_${marker}`, `authorization: Bearer {key}`),
  get(`x: ${'y'.repeat(70_000)}`),
  get(...Array.from({ length: 3_000 }, (_, i) => `x${i}: y`)),
  get('content-length: -1'),
  get('content-length: 1e3'),
  get('content-length: 99999999999999999999'),
  get('content-length: 5'),
  get('content-length: 0', 'content-length: 5'),
  get('transfer-encoding: gzip'),
  get('expect: 100-continue'),
  get('expect: something else'),
  get('connection: upgrade', 'upgrade: websocket', 'sec-websocket-key: x'),
  get('connection: upgrade, http2-settings', 'upgrade: h2c', 'http2-settings: x'),
  get() + get() + get(),
  `${get()}garbage\r\n\r\n`,
  `${get('authorization: Bearer {key}')}garbage\r\n\r\n`,
  `${get('authorization: Bearer {key}')}\0`,
  post(['content-length: 100'], '{"name":"a"}'),
  post(['content-length: 2'], '{"name":"a"}'),
  post(['content-length: 12', 'content-length: 13'], '{"name":"a"}'),
  post(['content-length: 12, 12'], '{"name":"a"}'),
  post(['content-length: +12'], '{"name":"a"}'),
  post(['content-length: 0x0c'], '{"name":"a"}'),
  post(['content-length: 99999999'], '{"name":"a"}'),
  post(['content-length: 12', 'transfer-encoding: chunked'], '0\r\n\r\n'),
  post(['transfer-encoding: chunked', 'content-length: 4'], 'c\r\n{"name":"a"}\r\n0\r\n\r\n'),
  post(['transfer-encoding: chunked, identity'], '{"name":"a"}'),
  post(['transfer-encoding: xchunked'], '{"name":"a"}'),
  post(['transfer-encoding:\tchunked'], 'c\r\n{"name":"a"}\r\n0\r\n\r\n'),
  post(['transfer-encoding: chunked', 'transfer-encoding: identity'], 'c\r\n{"name":"a"}\r\n0\r\n\r\n'),
  post(['transfer-encoding: chunked'], 'zz\r\n{"name":"a"}\r\n0\r\n\r\n'),
  post(['transfer-encoding: chunked'], '-1\r\n{"name":"a"}\r\n0\r\n\r\n'),
  post(['transfer-encoding: chunked'], 'fffffffffffffffff\r\n{"name":"a"}\r\n'),
  post(['transfer-encoding: chunked'], 'c\n{"name":"a"}\n0\n\n'),
  post(['transfer-encoding: chunked'], 'c\r\n{"name":"a"}xx0\r\n\r\n'),
  post(['transfer-encoding: chunked'], 'c\r\n{"name":"a"}'),
  post(['transfer-encoding: chunked'], `c;${'x'.repeat(20_000)}\r\n{"name":"a"}\r\n0\r\n\r\n`),
  post(['transfer-encoding: chunked'], `c\r\n{"name":"a"}\r\n0\r\nauthorization: ${marker}\r\nx y\r\n\r\n`),
  post([], '{"name":"a"}'),
];

const fill = (text: string, key: string): Buffer => Buffer.from(text.replaceAll('{key}', key), 'latin1');

export function brokenMessages(key: string): Buffer[] {
  return broken.map((text) => fill(text, key));
}

/** Whole messages with a few bytes put in, changed or cut off. */
export function damagedMessages(key: string): fc.Arbitrary<Message> {
  const whole = [
    get('authorization: Bearer {key}'),
    post(['content-length: 12'], '{"name":"a"}'),
    post(['transfer-encoding: chunked'], 'c\r\n{"name":"a"}\r\n0\r\n\r\n'),
  ].map((text) => fill(text, key));
  const damage = fc.record({
    at: fc.nat({ max: 400 }),
    cut: fc.nat({ max: 3 }),
    bytes: fc.uint8Array({ maxLength: 4 }),
  });
  return fc
    .tuple(fc.constantFrom(...whole), fc.array(damage, { minLength: 1, maxLength: 3 }))
    .map(([start, damages]) =>
      message(
        damages.reduce((text, { at, cut, bytes }) => {
          const place = at % text.length;
          return Buffer.concat([text.subarray(0, place), bytes, text.subarray(place + cut)]);
        }, start),
      ),
    );
}
