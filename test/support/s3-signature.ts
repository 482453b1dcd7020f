import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The only caller that the store knows. */
export const bucketCredentials = { AWS_ACCESS_KEY_ID: 'TESTKEY', AWS_SECRET_ACCESS_KEY: 'test-secret' };

const fields =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/;

export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** The S3 error code if the request does not carry a valid Signature Version 4 in its `authorization` header. */
export function signatureError({ method, url, headers }: IncomingMessage): string | undefined {
  const [, id, scope = '', names = '', signature] = fields.exec(headers.authorization ?? '') ?? [];
  if (id === undefined) return 'AccessDenied';
  if (id !== bucketCredentials.AWS_ACCESS_KEY_ID) return 'InvalidAccessKeyId';
  const { pathname, searchParams } = new URL(url ?? '/', 'http://store');
  const canonical = [
    method,
    pathname,
    [...searchParams]
      .map((pair) => pair.map(encoded).join('='))
      .sort()
      .join('&'),
    ...names.split(';').map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    names,
    headers['x-amz-content-sha256'],
  ].join('\n');
  const signed = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n');
  const key = scope
    .split('/')
    .reduce<string | Buffer>(keyed, `AWS4${bucketCredentials.AWS_SECRET_ACCESS_KEY}`);
  return keyed(key, signed).toString('hex') === signature ? undefined : 'SignatureDoesNotMatch';
}

function keyed(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
