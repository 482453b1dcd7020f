import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../contract/errors.ts';
import { builtFiles, pagePolicy, sendFile } from './files.ts';

const policy = pagePolicy();
/** For files below `assets/`, whose names contain a hash of the content. */
const year = 'public, max-age=31536000, immutable';

/** Serves the built console: its files, and its page for every other path, which the page routes itself. */
export function registerConsole(app: FastifyInstance): void {
  const page = async (request: FastifyRequest, reply: FastifyReply) => {
    const path = (request.params as { '*'?: string })['*'] ?? '';
    if (path === 'api' || path.startsWith('api/')) return reply.callNotFound();
    const known = await builtFiles();
    const file = known.get(path);
    const inAssets = path.startsWith('assets/');
    if (file) return sendFile(request, reply, file, { caching: inAssets ? year : 'no-cache', policy });
    const index = known.get('index.html');
    if (!index)
      throw new Refusal('NOT_FOUND', 'The console is not built here. In a checkout, run: npm run build');
    if (inAssets) return reply.callNotFound();
    return sendFile(request, reply, index, { caching: 'no-cache', policy });
  };
  for (const url of ['/console', '/console/*'])
    app.route({ method: ['GET', 'HEAD'], url, config: { operation: 'console' }, handler: page });
}

/** A console page that shows “Page not found”, for mistyped URLs that no router can parse. */
export const nowhereInConsole = '/console/nowhere';

/** Whether the request is for a page of the console, not for its API or assets. */
export function isConsolePage({ method, url }: Pick<FastifyRequest, 'method' | 'url'>): boolean {
  return method === 'GET' && /^\/console\/(?!api\/|assets\/)/.test(url);
}
