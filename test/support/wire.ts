import { connect, type Socket } from 'node:net';

export interface WireAnswer {
  status: number;
  headers: Record<string, string>;
  text: string;
}

const patience = 60_000;
/** A service that is told at once that nobody listens does not answer. */
const quiet = 300;

/** HTTP by hand: every byte of a request can be chosen, also those a client library would refuse to send. */
export class Wire {
  private readonly port: number;
  private readonly idle: Socket[] = [];

  constructor(port: number) {
    this.port = port;
  }

  /** One request, one answer. `reuse` is for requests whose end is beyond doubt. */
  async send(request: Buffer, { head = false, reuse = true } = {}): Promise<WireAnswer> {
    const socket = (reuse && this.reusable()) || this.open();
    let received: Buffer = Buffer.alloc(0);
    const answer = await this.listen(socket, request, (bytes) => {
      received = Buffer.concat([received, bytes]);
      return takeAnswer(received, head)?.answer;
    });
    if (answer === undefined)
      throw new Error(`The connection closed without an answer: ${preview(received)}`);
    if (reuse && answer.headers['connection'] !== 'close') this.idle.push(socket);
    else socket.destroy();
    return answer;
  }

  /** Sends the bytes, after a silence says that this was all, and reads until the service hangs up. */
  async converse(bytes: Buffer, silence = quiet): Promise<WireAnswer[]> {
    const socket = this.open();
    let received: Buffer = Buffer.alloc(0);
    await this.listen(
      socket,
      bytes,
      (more) => {
        received = Buffer.concat([received, more]);
        return undefined;
      },
      silence,
    );
    const answers: WireAnswer[] = [];
    while (received.length > 0) {
      const taken = takeAnswer(received, false);
      if (!taken) throw new Error(`Half an answer: ${preview(received)}`);
      answers.push(taken.answer);
      received = taken.rest;
    }
    return answers;
  }

  close(): void {
    for (const socket of this.idle.splice(0)) socket.destroy();
  }

  private reusable(): Socket | undefined {
    for (let socket = this.idle.pop(); socket; socket = this.idle.pop()) {
      if (!socket.destroyed && !socket.readableEnded) return socket;
      socket.destroy();
    }
    return undefined;
  }

  private open(): Socket {
    // A service that refuses early may reset the connection while the request is still being written.
    return connect({ port: this.port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {});
  }

  /** Resolves with what `hear` makes of the bytes, or with undefined when the other side hangs up. */
  private listen<T>(
    socket: Socket,
    request: Buffer,
    hear: (bytes: Buffer) => T | undefined,
    silence?: number,
  ): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const settle = (act: () => void): void => {
        clearTimeout(timer);
        socket.removeAllListeners('data').removeAllListeners('end').removeAllListeners('close');
        act();
      };
      const gone = (): void => settle(() => resolve(undefined));
      const timer = setTimeout(
        () =>
          settle(() => {
            socket.destroy();
            reject(new Error(`No answer within ${patience} ms`));
          }),
        patience,
      );
      socket.on('close', gone).on('end', () => {
        gone();
        socket.destroy();
      });
      socket.on('data', (bytes: Buffer) => {
        try {
          const heard = hear(bytes);
          if (heard !== undefined) settle(() => resolve(heard));
        } catch (error) {
          socket.destroy();
          settle(() => reject(error));
        }
      });
      socket.write(request);
      if (silence !== undefined) setTimeout(() => socket.end(), silence);
    });
  }
}

/** The first whole answer in the bytes; `head` says that it has no body whatever it announces. */
function takeAnswer(bytes: Buffer, head: boolean): { answer: WireAnswer; rest: Buffer } | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
  if (Number.isNaN(status)) throw new Error(`Not an HTTP answer: ${preview(bytes)}`);
  const start = end + 4;
  if (status < 200) return takeAnswer(bytes.subarray(start), head);
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const streams = headers['content-type']?.startsWith('text/event-stream') && status === 200;
  if (!head && headers['transfer-encoding'] === 'chunked') {
    const read = dechunked(bytes.subarray(start));
    if (!read.ended && !streams) return undefined;
    // A stream has no end of its own: the first event is the answer, and the connection is left.
    const text = streams ? /^data: (.*)\n\n/m.exec(read.text)?.[1] : read.text;
    if (text === undefined) return undefined;
    if (streams) headers['connection'] = 'close';
    return { answer: { status, headers, text }, rest: streams ? Buffer.alloc(0) : read.rest };
  }
  const length = head ? 0 : Number(headers['content-length']);
  if (Number.isNaN(length)) throw new Error(`An answer without a length: ${preview(bytes)}`);
  if (bytes.length < start + length) return undefined;
  const text = bytes.toString('utf8', start, start + length);
  return { answer: { status, headers, text }, rest: bytes.subarray(start + length) };
}

/** As much as has arrived of a body that is sent in chunks. */
function dechunked(bytes: Buffer): { text: string; ended: boolean; rest: Buffer } {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const line = bytes.indexOf('\r\n', at);
    const size = line === -1 ? Number.NaN : Number.parseInt(bytes.toString('latin1', at, line), 16);
    const end = line + 2 + size + 2;
    const text = (): string => Buffer.concat(parts).toString('utf8');
    if (Number.isNaN(size) || bytes.length < end) return { text: text(), ended: false, rest: bytes };
    if (size === 0) return { text: text(), ended: true, rest: bytes.subarray(end) };
    parts.push(bytes.subarray(line + 2, end - 2));
    at = end;
  }
}

function preview(bytes: Buffer): string {
  return JSON.stringify(bytes.toString('latin1', 0, 300));
}
