import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal, statusOfCode } from '../../contract/errors.ts';
import type { Log } from '../../platform/log.ts';
import { discardBody } from './discard-body.ts';
import { isReporter } from './reporters.ts';

/** Responds to every failure with `{code, message, details?}`. Unexpected errors become a 500 without details. */
export function errorResponder(log: Log) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    sendRefusal(reply, asRefusal(error, request, log));
  };
}

export function sendRefusal(reply: FastifyReply, refusal: Refusal): void {
  const { raw } = reply.request;
  // Fastify closes the connection after a body that is too large; Node reads the rest of any other after the answer.
  if (raw.complete || raw.destroyed || reply.getHeader('connection') !== 'close') answer(reply, refusal);
  else void answerLater(reply, refusal);
}

/** Responds after the rest of the body was discarded. */
async function answerLater(reply: FastifyReply, refusal: Refusal): Promise<void> {
  const { raw } = reply.request;
  await discardBody(raw);
  // Bytes that were not read would be parsed as the next request.
  if (raw.complete) reply.removeHeader('connection');
  else reply.header('connection', 'close');
  answer(reply, refusal);
}

function answer(reply: FastifyReply, refusal: Refusal): void {
  if (refusal.retryAfter !== undefined) reply.header('retry-after', String(refusal.retryAfter));
  if (refusal.code === 'UNAUTHORIZED') reply.header('www-authenticate', 'Bearer');
  void reply
    .code(statusOfCode[refusal.code])
    .header('content-type', 'application/json; charset=utf-8')
    .send(
      JSON.stringify(
        isReporter(reply.request) ? { ...refusal.toBody(), error: refusal.message } : refusal.toBody(),
      ),
    );
}

export function notJson(): Refusal {
  return new Refusal('VALIDATION_ERROR', 'The body must be JSON: send Content-Type: application/json');
}

function asRefusal(error: unknown, request: FastifyRequest, log: Log): Refusal {
  if (error instanceof Refusal) return error;
  const { code, statusCode } = error as Partial<FastifyError>;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new Refusal(
      'VALIDATION_ERROR',
      `The request body is larger than ${request.routeOptions.bodyLimit} bytes`,
    );
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return request.routeOptions.config.upload
      ? new Refusal('VALIDATION_ERROR', 'Content-Type: Must be a media type, like text/html')
      : notJson();
  // The caller disconnected while the body was read.
  if (error === request.raw.errored) return new Refusal('VALIDATION_ERROR', 'The request broke off');
  // Fastify rejected the request: invalid length or header, or a closed connection.
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new Refusal('VALIDATION_ERROR', 'The request is malformed');
  log.error('Request failed', { requestId: request.id, operation: request.routeOptions.url }, error);
  // The database cancelled the statement, usually because of a lock, so no data was written.
  if (code === '57014')
    return new Refusal(
      'UNAVAILABLE',
      `The database took too long. Nothing was changed. Try again. The request ID is ${request.id}`,
      { retryAfter: 2 },
    );
  return new Refusal(
    'INTERNAL_ERROR',
    `Internal error. Try again; if it persists, give the operator the request ID ${request.id}`,
  );
}
