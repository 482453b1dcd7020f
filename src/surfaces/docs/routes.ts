import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { version } from '../../platform/version.ts';
import { openApiDocument } from '../openapi/document.ts';
import { escapeHtml } from './html.ts';
import { renderPage } from './page.ts';
import { style } from './reference.css.ts';
import { script } from './reference.js.ts';

/** Stands for the address in the page that is kept; no text of ours has this character. */
const originMark = '\u{E000}';

/**
 * The document and the page drawn from it, each made when it is first asked for. Without a public URL the
 * page shows the address it was asked at.
 */
export function registerDocs(app: FastifyInstance, basePath: string, publicUrl?: string): void {
  const document = once(() => openApiDocument(basePath, version));
  const json = once(() => JSON.stringify(document()));
  const page = once(() => renderPage(document(), { origin: originMark, style, script }).split(originMark));
  app.get(`${basePath}/openapi.json`, (_request, reply) =>
    reply.header('content-type', 'application/json; charset=utf-8').send(json()),
  );
  app.get('/docs', (request, reply) => {
    const origin = publicUrl?.replace(/\/+$/, '') ?? originOf(request);
    return reply
      .header('content-type', 'text/html; charset=utf-8')
      .header('content-security-policy', policy)
      .header('x-content-type-options', 'nosniff')
      .header('referrer-policy', 'no-referrer')
      .header('cache-control', 'no-cache')
      .send(page().join(escapeHtml(origin)));
  });
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** Nothing is loaded from anywhere; the page's own style and script are known by their hashes. */
const policy = [
  "default-src 'none'",
  `style-src ${hashOf(style.text)}`,
  `script-src ${hashOf(script.text)}`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** The Host header is the reader's word; it is shown only if it can be nothing but a host. */
function originOf({ protocol, host }: FastifyRequest): string {
  return `${protocol}://${/^[\w.:[\]-]+$/.test(host) ? host : 'localhost'}`;
}
