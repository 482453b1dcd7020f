import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../contract/errors.ts';

const policy = [
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
].join('; ');

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

/** Names of files below `assets/` change with their content. */
const year = 'public, max-age=31536000, immutable';

interface File {
  bytes: Buffer;
  type: string;
  tag: string;
  /** Compressed by the build, if it is worth it. */
  zipped: Buffer | undefined;
}

/** The console as it was built: its files, and its one page for every other path, which the page itself understands. */
export function registerConsole(app: FastifyInstance): void {
  let read: Promise<Map<string, File>> | undefined;
  const files = (): Promise<Map<string, File>> => (read ??= readFiles());
  const page = async (request: FastifyRequest, reply: FastifyReply) => {
    const path = (request.params as { '*'?: string })['*'] ?? '';
    if (path === 'api' || path.startsWith('api/')) return reply.callNotFound();
    const known = await files();
    const file = known.get(path);
    if (file) return send(request, reply, file, path.startsWith('assets/') ? year : 'no-cache');
    const index = known.get('index.html');
    if (!index)
      throw new Refusal('NOT_FOUND', 'The console is not built here. In a checkout, run: npm run build');
    if (path.startsWith('assets/')) return reply.callNotFound();
    return send(request, reply, index, 'no-cache');
  };
  for (const url of ['/console', '/console/*'])
    app.route({ method: ['GET', 'HEAD'], url, config: { operation: 'console' }, handler: page });
}

function send(request: FastifyRequest, reply: FastifyReply, file: File, caching: string): FastifyReply {
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

/** A page of the console that says that nothing is there; for whoever mistypes an address so that no router can read it. */
export const nowhereInConsole = '/console/nowhere';

/** Whether a person is shown the answer. */
export function isConsolePage({ method, url }: Pick<FastifyRequest, 'method' | 'url'>): boolean {
  return method === 'GET' && /^\/console\/(?!api\/|assets\/)/.test(url);
}

/** From where the bundle lies beside the program, or from the sources. */
const places = ['../console/', '../../../dist/console/'];

/** They are few and small; nothing but what was there at the first request can be asked for. */
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
