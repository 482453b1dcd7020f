import type { FastifyInstance } from 'fastify';
import { version } from '../../platform/version.ts';
import { openApiDocument } from './document.ts';

export function registerDocs(app: FastifyInstance, basePath: string): void {
  const document = JSON.stringify(openApiDocument(basePath, version));
  app.get(`${basePath}/openapi.json`, (_request, reply) =>
    reply.header('content-type', 'application/json; charset=utf-8').send(document),
  );
}
