/**
 * The tunnel protocol between the service and a client, on a WebSocket. Text frames are JSON for control; binary frames
 * carry bodies: a byte for the kind, the number of the request, and the data.
 */

/**
 * With flow control: either side sends only as much of a body as the other has room for. Preferred if both support it.
 */
export const withCredit = 'drydock-tunnel.v2';
/** The protocol of existing clients, without flow control: a body that arrives faster than it is read is aborted. */
export const withoutCredit = 'mcpjam-tunnel.v1';
export const protocols = [withCredit, withoutCredit] as const;
export type TunnelProtocol = (typeof protocols)[number];

/** Bytes of a body per frame. */
export const chunkBytes = 64 * 1024;
/** Bytes of a body that may be sent before the receiver acknowledges some. */
export const windowBytes = 1024 * 1024;
/** Maximum bytes of a text frame, which may contain headers. */
export const maxText = 256 * 1024;

export const closeCodes = {
  badToken: 4000,
  /** Another client has taken over the tunnel. */
  replaced: 4001,
  /** The tunnel was closed, has a new token, or its owner lost access. */
  withdrawn: 4002,
  /** The service restarts: reconnect at once. */
  restart: 1012,
  /** The peer violated the protocol. */
  violation: 1002,
  overloaded: 1013,
} as const;

/** Milliseconds between two pings, and how many may stay unanswered. */
export const pingEvery = 25_000;
export const maxMissed = 2;

export type AbortCode = 'timeout' | 'too_large' | 'client_gone' | 'upstream_error' | 'overloaded';
export type HeaderList = [name: string, value: string][];

export type Frame =
  | {
      t: 'hello';
      proto: number;
      slug: string;
      limits: { maxReqBody: number; chunk: number; maxInflight: number };
    }
  | { t: 'req'; id: number; method: string; url: string; headers: HeaderList; hasBody: boolean }
  | { t: 'req_end'; id: number }
  | { t: 'res'; id: number; status: number; headers: HeaderList }
  | { t: 'res_end'; id: number }
  | { t: 'abort'; id: number; code: AbortCode; msg?: string }
  /** With flow control only: permits more bytes of the body. */
  | { t: 'credit'; id: number; bytes: number };

export const ofRequest = 1;
export const ofResponse = 2;

/** Encodes part of a body as a binary frame. */
export function chunkFrame(kind: number, id: number, bytes: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(5 + bytes.length);
  frame.writeUInt8(kind, 0);
  frame.writeUInt32BE(id, 1);
  frame.set(bytes, 5);
  return frame;
}

export interface Chunk {
  kind: number;
  id: number;
  bytes: Buffer;
}

export function readChunk(frame: Buffer): Chunk | undefined {
  if (frame.length < 5) return undefined;
  return { kind: frame.readUInt8(0), id: frame.readUInt32BE(1), bytes: frame.subarray(5) };
}

const isHeaders = (value: unknown): value is HeaderList =>
  Array.isArray(value) &&
  value.length <= 500 &&
  value.every(
    (pair) => Array.isArray(pair) && pair.length === 2 && pair.every((part) => typeof part === 'string'),
  );

const has: Record<Frame['t'], (frame: Record<string, unknown>) => boolean> = {
  hello: ({ slug }) => typeof slug === 'string',
  req: ({ method, url, headers, hasBody }) =>
    typeof method === 'string' &&
    typeof url === 'string' &&
    typeof hasBody === 'boolean' &&
    isHeaders(headers),
  req_end: () => true,
  res: ({ status, headers }) =>
    Number.isInteger(status) && Number(status) >= 200 && Number(status) <= 599 && isHeaders(headers),
  res_end: () => true,
  abort: ({ code }) => typeof code === 'string',
  credit: ({ bytes }) => Number.isSafeInteger(bytes) && Number(bytes) > 0,
};

/** Parses a text frame. Undefined if it is unknown. */
export function readFrame(text: string): Frame | undefined {
  let said: unknown;
  try {
    said = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof said !== 'object' || said === null) return undefined;
  const frame = said as Record<string, unknown>;
  const fits = Object.hasOwn(has, String(frame['t'])) && has[frame['t'] as Frame['t']](frame);
  const named = frame['t'] === 'hello' || (Number.isInteger(frame['id']) && Number(frame['id']) >= 0);
  return fits && named ? (frame as unknown as Frame) : undefined;
}

/** Hop-by-hop headers, which are not forwarded. */
const ofConnection = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The headers to forward, without hop-by-hop headers and `except`. */
export function forwardedHeaders(headers: HeaderList, except: readonly string[] = []): HeaderList {
  const named = headers
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.toLowerCase().split(/\s*,\s*/));
  const left = new Set([...ofConnection, ...named, ...except]);
  return headers.filter(([name]) => !left.has(name.toLowerCase()));
}

/** Converts the flat list of names and values from Node. */
export function pairs(raw: readonly string[]): HeaderList {
  const list: HeaderList = [];
  for (let i = 0; i + 1 < raw.length; i += 2) list.push([raw[i] as string, raw[i + 1] as string]);
  return list;
}
