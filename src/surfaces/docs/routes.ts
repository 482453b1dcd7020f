import type { FastifyInstance, FastifyReply } from 'fastify';
import { originOf } from '../common/origin.ts';
import type { Docs } from './render.ts';

/**
 * Routes of the OpenAPI document, the reference, the guides and the schema of suite files, created on the first
 * request. Without a public URL, the reference shows the host of the request.
 */
export function registerDocs(app: FastifyInstance, basePath: string, publicUrl?: string): void {
  let made: Promise<Docs> | undefined;
  const docs = (): Promise<Docs> =>
    (made ??= import('./render.ts').then(({ renderDocs }) => renderDocs(basePath)));
  app.get(`${basePath}/openapi.json`, async (_request, reply) =>
    reply.header('content-type', 'application/json; charset=utf-8').send((await docs()).json),
  );
  app.get('/schemas/suite-file.json', async (request, reply) => {
    const { suiteFileJsonSchema } = await import('../../suite-files/json-schema.ts');
    const schema = suiteFileJsonSchema(originOf(request, publicUrl));
    return reply.header('content-type', 'application/schema+json').send(JSON.stringify(schema));
  });
  const send = (reply: FastifyReply, { policy }: Docs, page: string): FastifyReply =>
    reply
      .header('content-type', 'text/html; charset=utf-8')
      .header('content-security-policy', policy)
      .header('x-content-type-options', 'nosniff')
      .header('referrer-policy', 'no-referrer')
      .header('cache-control', 'no-cache')
      .send(page);
  app.get('/docs', async (request, reply) => {
    const made = await docs();
    return send(reply, made, made.page(originOf(request, publicUrl)));
  });
  app.get('/docs/guides', (_request, reply) => reply.redirect('guides/quick-start'));
  app.get<{ Params: { name: string } }>('/docs/guides/:name', async ({ params }, reply) => {
    const made = await docs();
    const page = made.guide(params.name);
    return page === undefined ? reply.callNotFound() : send(reply, made, page);
  });
}
