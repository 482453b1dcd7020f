import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../contract/errors.ts';
import type { Overload, SheddingReason } from '../../platform/overload.ts';
import { counters } from '../../platform/telemetry/metrics.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Stays open to tell what happens, or waits for it. */
    staysOpen?: boolean;
    /** Anybody may send it a body. */
    forStrangers?: boolean;
    /** Is answered whatever the load. */
    always?: boolean;
  }
}

/** Where an operation does not say how much it takes. */
const unannounced = 1024 * 1024;
/** An upload is handed on as it comes; so much of it is here at a time. */
const passing = 64 * 1024;

/**
 * Turns requests away that the process has no room for, before anything is done for them: the count and the memory are
 * looked at before the caller is, the room for a body before it is read.
 */
export function shedLoad(app: FastifyInstance, overload: Overload): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { always = false, staysOpen = false } = request.routeOptions.config;
    if (always) return done();
    const reason = overload.enter(staysOpen);
    if (reason) return done(shed(reason));
    atEnd(reply, () => overload.leave(staysOpen));
    done();
  });
  app.addHook('preParsing', (request, reply, payload, done) => {
    const size = sizeOf(request);
    if (size === 0 || request.routeOptions.config.always) return done(null, payload);
    const isStranger = request.is404 || (request.routeOptions.config.forStrangers ?? false);
    if (!overload.take(size, isStranger)) return done(shed('bodies'));
    atEnd(reply, () => overload.giveBack(size, isStranger));
    done(null, payload);
  });
  app.addHook('onClose', (_app, done) => {
    overload.stop();
    done();
  });
}

/** When it was answered, or the caller hung up. */
function atEnd({ raw }: FastifyReply, work: () => void): void {
  if (raw.closed) work();
  else raw.once('close', work);
}

function sizeOf({ headers, routeOptions }: FastifyRequest): number {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  const most = routeOptions.config.upload ? passing : (routeOptions.bodyLimit ?? unannounced);
  // Whoever does not say how much it will be may send as much as the operation takes.
  const announced = length === undefined ? (encoding === undefined ? 0 : most) : Number(length);
  // One that is larger than its operation takes is refused for that, and not read.
  return Number.isFinite(announced) ? Math.min(announced, most) : 0;
}

function shed(reason: SheddingReason): Refusal {
  counters.shed.add(reason);
  // Not all at the same moment.
  const retryAfter = 1 + Math.floor(3 * Math.random());
  return new Refusal(
    'UNAVAILABLE',
    `The service has more to do than it can, so this was not begun. Ask again in ${retryAfter} s`,
    { details: { reason: 'OVERLOADED' }, retryAfter },
  );
}
