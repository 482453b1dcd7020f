import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** `more` adds directives, which must not repeat one listed here. */
export function pagePolicy(...more: string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "media-src 'self'",
    "connect-src 'self'",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    ...more,
  ].join('; ');
}

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

interface File {
  bytes: Buffer;
  type: string;
  tag: string;
  /** Compressed by the build, if that saves space. */
  zipped: Buffer | undefined;
}

export function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: File,
  { caching, policy }: { caching: string; policy: string },
): FastifyReply {
  reply
    .header('content-type', file.type)
    .header('cache-control', caching)
    .header('etag', file.tag)
    .header('vary', 'accept-encoding')
    .header('content-security-policy', policy)
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'no-referrer')
    .header('cross-origin-opener-policy', 'same-origin');
  if (request.headers['if-none-match'] === file.tag) return reply.code(304).send();
  const accepted = request.headers['accept-encoding'];
  const offered = (Array.isArray(accepted) ? accepted.join() : (accepted ?? ''))
    .split(',')
    .map((one) => one.trim())
    .filter((one) => !/;\s*q=0(\.0*)?$/.test(one))
    .map((one) => one.split(';')[0]);
  if (file.zipped && offered.includes('gzip'))
    return reply.header('content-encoding', 'gzip').send(file.zipped);
  return reply.send(file.bytes);
}

/** The build output: next to the program, or in a checkout. */
const places = ['../console/', '../../../dist/console/'];

let read: Promise<Map<string, File>> | undefined;

export function builtFiles(): Promise<Map<string, File>> {
  return (read ??= readFiles());
}

/** Reads all files into memory; they are few and small. */
async function readFiles(): Promise<Map<string, File>> {
  for (const place of places) {
    const folder = new URL(place, import.meta.url).pathname;
    const names = await readdir(folder, { recursive: true }).catch((): string[] => []);
    if (names.includes('index.html')) return new Map(await Promise.all(entriesOf(folder, names)));
  }
  return new Map();
}

function entriesOf(folder: string, names: string[]): Promise<[string, File]>[] {
  const own = names.filter((name) => types[extname(name)] !== undefined);
  return own.map(async (name): Promise<[string, File]> => {
    const bytes = await readFile(`${folder}${name}`);
    const zipped = names.includes(`${name}.gz`) ? await readFile(`${folder}${name}.gz`) : undefined;
    const tag = `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
    return [name, { bytes, type: types[extname(name)] as string, tag, zipped }];
  });
}
