import { type RequestListener, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../../contract/errors.ts';
import { newId } from '../../platform/ids.ts';

/** Handles malformed and interrupted requests. */
export function refuseBytes(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET') socket.destroy();
  else if (error.code === 'HPE_HEADER_OVERFLOW') answerRaw(socket, 'The request headers are too large');
  else answerRaw(socket, 'The request is malformed');
}

/** Handles requests that Node would otherwise answer itself, without a body and request ID. */
export function takeOverFromNode(server: Server): void {
  serializePipelined(server);
  // Unknown expectations can be ignored.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('connect', (_request, socket) => answerRaw(socket, 'This is not a proxy'));
}

/**
 * Handles pipelined requests one after the other: Node does not report a closed connection for queued responses, so
 * their resources would stay open.
 */
function serializePipelined(server: Server): void {
  const [begin] = server.listeners('request') as [RequestListener];
  const latest = new WeakMap<Duplex, ServerResponse>();
  server.off('request', begin);
  server.on('request', (request, response) => {
    const { socket } = request;
    const before = latest.get(socket);
    latest.set(socket, response);
    if (response.socket || !before) begin(request, response);
    else before.once('close', () => void (socket.destroyed || begin(request, response)));
  });
}

/**
 * Running requests get half of the shutdown timeout, so that an incomplete request does not use the half of the jobs.
 */
export function hangUpWhenClosing(app: FastifyInstance, shutdownTimeout: number): void {
  app.addHook('preClose', (done) => {
    setTimeout(() => app.server.closeAllConnections(), shutdownTimeout / 2).unref();
    done();
  });
}

/** Milliseconds that a connection stays open after its last response. */
const lingerTime = 1_000;

/** Writes a response directly to the socket, because there is no request object. */
export function answerRaw(socket: Duplex, message: string): void {
  if (!socket.writable) return void socket.destroy();
  const body = JSON.stringify(new Refusal('VALIDATION_ERROR', message).toBody());
  const lines = [
    `HTTP/1.1 400 ${STATUS_CODES[400]}`,
    'content-type: application/json; charset=utf-8',
    'x-content-type-options: nosniff',
    `x-request-id: ${newId('req')}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
  // Gives the client time to read the response, then closes the connection.
  setTimeout(() => socket.destroy(), lingerTime).unref();
}
