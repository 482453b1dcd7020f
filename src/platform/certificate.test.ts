import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { Certificate } from './certificate.ts';
import type { Log } from './log.ts';

const folder = mkdtempSync(join(tmpdir(), 'drydock-certificate-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function made(name: string): { tlsCert: string; tlsKey: string } {
  const [tlsCert, tlsKey] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)];
  const request = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-subj',
    '/CN=x',
  ];
  const names = ['-addext', 'subjectAltName=DNS:drydock.example.com,IP:127.0.0.1'];
  execFileSync('openssl', [...request, ...names, '-keyout', tlsKey, '-out', tlsCert], {
    stdio: 'ignore',
  });
  chmodSync(tlsKey, 0o600);
  return { tlsCert, tlsKey };
}

const pair = made('pair');
const other = made('other');
const garbage = join(folder, 'garbage');
writeFileSync(garbage, '-----BEGIN PRIVATE KEY-----\nc3dvcmRmaXNo\n-----END PRIVATE KEY-----\n');

function opened(settings: Partial<Parameters<typeof Certificate.open>[0]>): {
  warnings: string[];
  found: boolean;
} {
  const warnings: string[] = [];
  const log = { warn: (text: string) => warnings.push(text) } as unknown as Log;
  const all = { tlsCert: undefined, tlsKey: undefined, publicUrl: undefined, host: '127.0.0.1', ...settings };
  return { found: Certificate.open(all, log) !== undefined, warnings };
}

test('a pair that fits is taken, and none is none', () => {
  expect(opened({})).toEqual({ found: false, warnings: [] });
  expect(opened(pair)).toEqual({ found: true, warnings: [] });
  expect(opened({ ...pair, host: '0.0.0.0', publicUrl: 'https://drydock.example.com' }).warnings).toEqual([]);
});

test.each([
  ['only a certificate', { tlsCert: pair.tlsCert }, /both DRYDOCK_TLS_CERT and DRYDOCK_TLS_KEY/],
  ['only a key', { tlsKey: pair.tlsKey }, /both DRYDOCK_TLS_CERT and DRYDOCK_TLS_KEY/],
  [
    'no such file',
    { ...pair, tlsCert: join(folder, 'none.pem') },
    /Cannot read .*none\.pem \(DRYDOCK_TLS_CERT\): ENOENT/,
  ],
  ['the key of another', { ...pair, tlsKey: other.tlsKey }, /does not belong to the first certificate/],
  ['a key that is none', { ...pair, tlsKey: garbage }, /\(DRYDOCK_TLS_KEY\) is not a PEM file/],
  ['a certificate that is none', { ...pair, tlsCert: pair.tlsKey }, /\(DRYDOCK_TLS_CERT\) is not a PEM file/],
  ['a public address without TLS', { ...pair, publicUrl: 'http://drydock.example.com' }, /Use https/],
])('%s is refused, without a word of the key', (_name, settings, expected) => {
  expect(() => opened(settings)).toThrow(expected);
  expect(() => opened(settings)).not.toThrow(/BEGIN|c3dv/);
});

test('what clients or neighbours would notice is said: an open key, another name', () => {
  const open = made('open');
  chmodSync(open.tlsKey, 0o644);
  expect(opened(open).warnings).toEqual([expect.stringContaining('chmod o-r')]);
  expect(opened({ ...pair, publicUrl: 'https://elsewhere.example.com' }).warnings).toEqual([
    expect.stringContaining('is not for elsewhere.example.com'),
  ]);
});
