import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Exchange } from './legacy.ts';

const mebibyte = 1024 * 1024;
const filler = Buffer.alloc(mebibyte, '0');

/** Stops with the connection; never runs ahead of what the other side reads. */
async function stream({ response }: Exchange, type: string, chunks: AsyncIterable<Buffer | string>) {
  response.writeHead(200, { 'content-type': type });
  await pipeline(Readable.from(chunks, { objectMode: false, highWaterMark: 1 }), response);
}

function envelope(id: string | number | undefined): [start: string, end: string] {
  const start = `{"jsonrpc":"2.0","id":${JSON.stringify(id ?? 1)},"result":{"content":[{"type":"text","text":"`;
  return [start, '"}]}}'];
}

export function sendHuge(exchange: Exchange): Promise<void> {
  const [start, end] = envelope(exchange.rpc?.id);
  const chunks = async function* () {
    yield start;
    for (let sent = 0; sent < 200; sent++) yield filler;
    yield end;
  };
  return stream(exchange, 'application/json', chunks());
}

/** One event that goes on; past the longest string there is, silence, to spare the machine. */
export function sendEndlessEvent(exchange: Exchange): Promise<void> {
  const chunks = async function* () {
    yield 'event: message\ndata: ';
    for (let sent = 0; sent < 1024; sent++) yield filler;
    await new Promise(() => {});
  };
  return stream(exchange, 'text/event-stream', chunks());
}

/** 500 MiB inside 500 KiB: gzip members may follow one another, so one is made and repeated. */
export async function sendGzipBomb({ response, rpc }: Exchange): Promise<void> {
  const [start, end] = envelope(rpc?.id).map((text) => gzipSync(text));
  const member = gzipSync(filler);
  response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
  const body = [start ?? '', ...Array.from({ length: 500 }, () => member), end ?? ''];
  await pipeline(Readable.from(body, { objectMode: false }), response);
}

/** Spaces before a JSON value are legal, so it never becomes wrong. */
export function sendDrip(exchange: Exchange): Promise<void> {
  const chunks = async function* () {
    for (;;) {
      yield ' ';
      await delay(50);
    }
  };
  return stream(exchange, 'application/json', chunks());
}

const notification = {
  jsonrpc: '2.0',
  method: 'notifications/message',
  params: { level: 'info', data: 'flood' },
};
const notificationEvent = `event: message\ndata: ${JSON.stringify(notification)}\n\n`;

export function sendNotificationFlood(exchange: Exchange): Promise<void> {
  const batch = notificationEvent.repeat(100);
  const chunks = async function* () {
    for (;;) yield batch;
  };
  return stream(exchange, 'text/event-stream', chunks());
}

export function sendCutStream({ response }: Exchange): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).end(notificationEvent);
}

export function sendBigHeaders({ response }: Exchange): void {
  for (let index = 0; index < 25; index++) response.setHeader(`x-filler-${index}`, 'a'.repeat(8 * 1024));
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
}
