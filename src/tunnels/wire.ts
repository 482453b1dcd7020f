/**
 * What the service and the client of a tunnel say to each other on a WebSocket. Text frames are JSON and steer; binary
 * ones carry bodies: a byte that says of what, the number of the request, and the bytes.
 */

/** With credit: either side sends no more of a body than the other has room for. Preferred where both know it. */
export const withCredit = 'drydock-tunnel.v2';
/** Of clients that exist. A body that arrives faster than it is read is broken off. */
export const withoutCredit = 'mcpjam-tunnel.v1';
export const protocols = [withCredit, withoutCredit] as const;
export type TunnelProtocol = (typeof protocols)[number];

/** Bytes of a body in one frame. */
export const chunkBytes = 64 * 1024;
/** Bytes of a body that may be under way before the other side says that it has read some. */
export const windowBytes = 1024 * 1024;
/** Of a text frame, which holds headers. */
export const mostText = 256 * 1024;

export const closeCodes = {
  badToken: 4000,
  /** Another client holds the tunnel now. */
  replaced: 4001,
  /** The tunnel was closed, has a new token, or whoever opened it lost access. */
  withdrawn: 4002,
  /** The service restarts: come back at once. */
  restart: 1012,
  /** What was said is not this protocol. */
  violation: 1002,
  overloaded: 1013,
} as const;

/** Milliseconds between two pings, and how many may stay unanswered. */
export const pingEvery = 25_000;
export const mostMissed = 2;

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
  /** Only with credit: so many more bytes of the body may come. */
  | { t: 'credit'; id: number; bytes: number };

export const ofRequest = 1;
export const ofResponse = 2;

/** The bytes of a frame that carries a part of a body. */
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

/** A text frame, or undefined when it is none that we know. */
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

/** They belong to one connection, and are not handed on. */
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

/** What is handed on of headers, `except` these. */
export function handedOn(headers: HeaderList, except: readonly string[] = []): HeaderList {
  const named = headers
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.toLowerCase().split(/\s*,\s*/));
  const left = new Set([...ofConnection, ...named, ...except]);
  return headers.filter(([name]) => !left.has(name.toLowerCase()));
}

/** As Node gives them: names and values in turn. */
export function pairs(raw: readonly string[]): HeaderList {
  const list: HeaderList = [];
  for (let i = 0; i + 1 < raw.length; i += 2) list.push([raw[i] as string, raw[i + 1] as string]);
  return list;
}
