import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../contract/errors.ts';
import type { LoadShedder, SheddingReason } from '../../platform/load-shedder.ts';
import { counters } from '../../platform/telemetry/metrics.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the request is an event stream or a long poll. */
    staysOpen?: boolean;
    /** Whether unauthenticated callers can send a body. */
    forStrangers?: boolean;
    /** Whether the request is handled under any load. */
    always?: boolean;
  }
}

/** Default body limit in bytes. */
const defaultBodyLimit = 1024 * 1024;
/** Bytes of a streamed upload that are buffered. */
const uploadBuffer = 64 * 1024;

/**
 * Rejects requests that exceed the capacity of the process, before any work: checks counts and memory before
 * authentication, and reserves room for a body before it is read.
 */
export function shedLoad(app: FastifyInstance, loadShedder: LoadShedder): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { always = false, staysOpen = false } = request.routeOptions.config;
    if (always) return done();
    const reason = loadShedder.enter(staysOpen);
    if (reason) return done(shed(reason));
    atEnd(reply, () => loadShedder.leave(staysOpen));
    done();
  });
  app.addHook('preParsing', (request, reply, payload, done) => {
    const size = sizeOf(request);
    if (size === 0 || request.routeOptions.config.always) return done(null, payload);
    const isAnonymous = request.is404 || (request.routeOptions.config.forStrangers ?? false);
    if (!loadShedder.take(size, isAnonymous)) return done(shed('bodies'));
    atEnd(reply, () => loadShedder.giveBack(size, isAnonymous));
    done(null, payload);
  });
  app.addHook('onClose', (_app, done) => {
    loadShedder.stop();
    done();
  });
}

/** Calls `work` after the response, or when the caller disconnects. */
function atEnd({ raw }: FastifyReply, work: () => void): void {
  if (raw.closed) work();
  else raw.once('close', work);
}

function sizeOf({ headers, routeOptions }: FastifyRequest): number {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  const most = routeOptions.config.upload ? uploadBuffer : (routeOptions.bodyLimit ?? defaultBodyLimit);
  // Without a content length, the limit of the operation is reserved.
  const announced = length === undefined ? (encoding === undefined ? 0 : most) : Number(length);
  // Oversized bodies are rejected unread.
  return Number.isFinite(announced) ? Math.min(announced, most) : 0;
}

function shed(reason: SheddingReason): Refusal {
  counters.shed.add(reason);
  // Spreads retries over time.
  const retryAfter = 1 + Math.floor(3 * Math.random());
  return new Refusal(
    'UNAVAILABLE',
    `The service is overloaded and did not process the request. Retry in ${retryAfter} s`,
    { details: { reason: 'OVERLOADED' }, retryAfter },
  );
}
