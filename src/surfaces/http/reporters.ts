import type { FastifyRequest } from 'fastify';

/** Path used by published reporters. They send no project, so the Default project of the key is used. */
const reporters = '/sdk/v1/evals/';

/** Routes of the ingestion operations for reporters. */
export function rewriteUrl({ url = '/' }: { url?: string | undefined }): string {
  return url.startsWith(reporters)
    ? `/api/v1/projects/default/eval-ingest/${url.slice(reporters.length)}`
    : url;
}

/** Adds `error`, which reporters display. */
export function isReporter({ originalUrl }: FastifyRequest): boolean {
  return originalUrl.startsWith(reporters);
}
