import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import type { ReceivedBytes, Route, Upload } from '../../contract/operation.ts';
import { bodyLimitsOf } from '../../domain/base/body-limits.ts';
import { invalid } from '../../domain/base/refusals.ts';
import { parseJsonObject } from '../common/json.ts';
import { notJson } from './errors.ts';

/** The JSON object of a request; an empty body counts as an empty object. */
export function readBody(operation: Route, request: FastifyRequest): Record<string, unknown> {
  const { body } = request;
  if (operation.method === 'GET' || !(body instanceof Uint8Array) || body.length === 0) return {};
  const type = request.headers['content-type'];
  if (type !== undefined && !/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type.trim()))
    throw notJson();
  return parseJsonObject(body, bodyLimitsOf(operation));
}

/**
 * The bytes of a request, up to the limit of the operation. `atEnd` is called when all have arrived, before the reader
 * gets the end.
 */
export function receiveBytes(
  upload: Upload,
  request: FastifyRequest,
  atEnd: (() => Promise<unknown>) | undefined,
): ReceivedBytes {
  const announced = Number(request.headers['content-length']);
  if (announced > upload.limit) throw tooLarge(upload);
  const type = request.headers['content-type']?.trim();
  // Without a content type, no parser has run, and the body is unread.
  const stream = (request.body ?? request.raw) as Readable;
  return { contentType: type || upload.mediaType, bytes: counted(stream, upload, atEnd) };
}

async function* counted(
  stream: Readable,
  upload: Upload,
  atEnd: (() => Promise<unknown>) | undefined,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  // Destroying the request would close the connection before the response is sent.
  for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > upload.limit) throw tooLarge(upload);
    yield chunk;
  }
  await atEnd?.();
}

function tooLarge({ limit }: Upload): Error {
  return invalid(`The request body is larger than ${limit} bytes`);
}
