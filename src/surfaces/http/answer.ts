import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { z } from 'zod';
import type { Operation, SentFile, StreamEvent } from '../../contract/operation.ts';
import { unlessAborted, withTimeout } from '../../platform/flow/deadline.ts';
import { isSmall, jsonSlices } from '../../platform/json/slices.ts';

const json = 'application/json; charset=utf-8';

/** Sends the result of a verb in the form that its operation declares. */
export function sendAnswer(
  reply: FastifyReply,
  operation: Operation,
  answer: unknown,
  ended: AbortSignal,
): FastifyReply {
  reply.code(operation.statusOf?.(answer as never) ?? operation.status);
  if (operation.answers === 'file') return sendFile(reply, answer as SentFile);
  if (operation.answers === 'events')
    return sendEvents(reply, answer as AsyncIterable<StreamEvent<unknown>>, ended);
  reply.header('content-type', json);
  for (const [header, field] of Object.entries(operation.answerHeaders ?? {}))
    reply.header(header, String((answer as Record<string, unknown>)[field]));
  if (!operation.bulky || isSmall(answer)) return reply.send(JSON.stringify(answer));
  return reply.send(Readable.from(jsonSlices(answer)));
}

/** Stored content is untrusted, so browsers are told to download it instead of rendering it. */
function sendFile(
  reply: FastifyReply,
  { contentType, size, part, acceptsRanges, bytes }: SentFile,
): FastifyReply {
  reply
    .header('content-type', contentType)
    .header('content-disposition', 'attachment')
    .header('x-content-type-options', 'nosniff')
    .header('content-security-policy', "default-src 'none'; sandbox");
  if (part) reply.header('content-range', `bytes ${part.start}-${part.end}/${size ?? '*'}`);
  if (acceptsRanges) reply.header('accept-ranges', 'bytes').header('cache-control', 'private, no-store');
  const length = part ? part.end - part.start + 1 : size;
  if (length !== undefined) reply.header('content-length', length);
  // Passes an open file on unchanged: a wrapping stream that is never read would not close it.
  return reply.send(bytes instanceof Readable ? bytes : Readable.from(bytes));
}

function sendEvents(
  reply: FastifyReply,
  events: AsyncIterable<StreamEvent<unknown>>,
  ended: AbortSignal,
): FastifyReply {
  return (
    reply
      .header('content-type', 'text/event-stream; charset=utf-8')
      .header('cache-control', 'no-store')
      .header('x-accel-buffering', 'no')
      // A kept-alive connection would delay the shutdown.
      .header('connection', 'close')
      .send(Readable.from(eventLines(events, ended)))
  );
}

/** Milliseconds between heartbeats: shorter than a minute, after which proxies close idle connections. */
const heartbeat = 15_000;

/** Server-sent events, with a heartbeat comment in idle periods. */
async function* eventLines(
  events: AsyncIterable<StreamEvent<unknown>>,
  ended: AbortSignal,
): AsyncGenerator<string> {
  // Sends the headers immediately.
  yield ': connected\n\n';
  const iterator = events[Symbol.asyncIterator]();
  try {
    let next = unlessAborted(iterator.next(), ended);
    for (;;) {
      const result = await withTimeout(heartbeat, next, () => 'silence' as const);
      if (result === 'silence') yield ': still here\n\n';
      else if (result.done) return;
      else {
        const { id, data } = result.value;
        yield* eventText(id === undefined ? 'data: ' : `id: ${id}\ndata: `, data);
        next = unlessAborted(iterator.next(), ended);
      }
    }
  } catch (error) {
    if (!ended.aborted) throw error;
  } finally {
    // Not awaited: the generator ends with its source, which is notified separately.
    void iterator.return?.();
  }
}

async function* eventText(before: string, data: unknown): AsyncGenerator<string> {
  if (isSmall(data)) return yield `${before}${JSON.stringify(data)}\n\n`;
  yield before;
  yield* jsonSlices(data);
  yield '\n\n';
}

/** For tests: throws if a response violates the contract. Streams are checked by their readers. */
export function checkAnswer(operation: Operation, answer: unknown): void {
  if (operation.answers === 'json') (operation.response as z.ZodType).parse(answer);
}
