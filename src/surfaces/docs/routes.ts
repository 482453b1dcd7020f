import type { FastifyInstance } from 'fastify';
import { originOf } from '../http/origin.ts';
import type { Docs } from './render.ts';

/**
 * The document and the page drawn from it, loaded and made when one is first asked for. Without a public URL the page
 * shows the address it was asked at.
 */
export function registerDocs(app: FastifyInstance, basePath: string, publicUrl?: string): void {
  let made: Promise<Docs> | undefined;
  const docs = (): Promise<Docs> =>
    (made ??= import('./render.ts').then(({ renderDocs }) => renderDocs(basePath)));
  app.get(`${basePath}/openapi.json`, async (_request, reply) =>
    reply.header('content-type', 'application/json; charset=utf-8').send((await docs()).json),
  );
  app.get('/docs', async (request, reply) => {
    const docsPage = await docs();
    return reply
      .header('content-type', 'text/html; charset=utf-8')
      .header('content-security-policy', docsPage.policy)
      .header('x-content-type-options', 'nosniff')
      .header('referrer-policy', 'no-referrer')
      .header('cache-control', 'no-cache')
      .send(docsPage.page(originOf(request, publicUrl)));
  });
}
