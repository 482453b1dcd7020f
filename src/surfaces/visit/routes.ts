import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../contract/errors.ts';
import { builtFiles, pagePolicy, sendFile } from '../console/files.ts';
import { framePage, framePolicy } from './frame/page.ts';

/** Widgets of a visit are shown in frames of this service, see `frame/page.ts`. */
const pages = [
  { url: '/visit', file: 'visit.html', policy: pagePolicy("frame-src 'self'") },
  { url: '/shared', file: 'shared.html', policy: pagePolicy() },
];

/** Pages that are opened by a link. Its secret is in the fragment, which browsers do not send. */
export function registerVisit(app: FastifyInstance): void {
  const method = ['GET', 'HEAD'];
  for (const { url, file: name, policy } of pages) {
    const handler = async (request: FastifyRequest, reply: FastifyReply) => {
      const file = (await builtFiles()).get(name);
      if (!file)
        throw new Refusal('NOT_FOUND', 'This page is not built here. In a checkout, run: npm run build');
      return sendFile(request, reply, file, { caching: 'no-cache', policy });
    };
    app.route({ method, url, config: { operation: 'visit' }, handler });
  }
  app.route({ method, url: '/visit/frame', config: { operation: 'visit' }, handler: sendFrame });
}

function sendFrame(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { csp } = request.query as { csp?: unknown };
  return reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    .header('content-security-policy', framePolicy(csp))
    .header('referrer-policy', 'no-referrer')
    .send(framePage);
}
