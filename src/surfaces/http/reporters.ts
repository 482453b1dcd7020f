import type { FastifyRequest } from 'fastify';

/** Path used by published reporters. They send no project, so the Default project of the key is used. */
const reporters = '/sdk/v1/evals/';

/** Rewrites URLs of reporters to those of the ingestion operations. */
export function rewriteUrl({ url = '/' }: { url?: string | undefined }): string {
  return url.startsWith(reporters)
    ? `/api/v1/projects/default/eval-ingest/${url.slice(reporters.length)}`
    : url;
}

/** Whether a reporter sent the request. Its error responses get `error`, which reporters display. */
export function isReporter({ originalUrl }: FastifyRequest): boolean {
  return originalUrl.startsWith(reporters);
}
