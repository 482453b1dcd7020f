import type { FastifyRequest } from 'fastify';

/** Where published reporters send results to; they know no project, so it is the Default one of their key. */
const reporters = '/sdk/v1/evals/';

/** The same operations under the path that a reporter knows. */
export function rewriteUrl({ url = '/' }: { url?: string | undefined }): string {
  return url.startsWith(reporters)
    ? `/api/v1/projects/default/eval-ingest/${url.slice(reporters.length)}`
    : url;
}

/** They show what stands under `error`. */
export function isReporter({ originalUrl }: FastifyRequest): boolean {
  return originalUrl.startsWith(reporters);
}
