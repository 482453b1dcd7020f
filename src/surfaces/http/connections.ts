import { type RequestListener, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../../contract/errors.ts';
import { newId } from '../../platform/ids.ts';

/** What arrived was not HTTP, or broke off. */
export function refuseBytes(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET') socket.destroy();
  else if (error.code === 'HPE_HEADER_OVERFLOW') answerRaw(socket, 'The request headers are too large');
  else answerRaw(socket, 'The request is malformed');
}

/** Cases that Node would answer by itself, with no body and no request id. */
export function takeOverFromNode(server: Server): void {
  takeTurns(server);
  // An expectation nobody knows may be ignored.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('connect', (_request, socket) => answerRaw(socket, 'This is not a proxy'));
}

/**
 * Requests that were sent without waiting for answers are begun one after the other: Node does not tell an answer that
 * stands behind another when the connection closes, and what was opened for it would stay open.
 */
function takeTurns(server: Server): void {
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

/** Requests under way get half of the time; one that never arrives in full must not take the jobs' half too. */
export function hangUpWhenClosing(app: FastifyInstance, shutdownTimeout: number): void {
  app.addHook('preClose', (done) => {
    setTimeout(() => app.server.closeAllConnections(), shutdownTimeout / 2).unref();
    done();
  });
}

const lingering = 1_000;

/** There is no request to answer, so the answer is written by hand. */
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
  // Time to read the answer; whoever does not hang up then would keep the connection for good.
  setTimeout(() => socket.destroy(), lingering).unref();
}
