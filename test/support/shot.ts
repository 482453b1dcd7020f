import fc from 'fast-check';
import type { Operation } from '../../src/contract/operation.ts';
import type { Header } from './hostile-headers.ts';

/** One request of the fuzz, with `{projectId}` and `{key}` still open. */
export interface Shot {
  /** The operation it was made from, if any. */
  operation: Operation | undefined;
  /** Method and path were left alone, so this operation and no other must answer. */
  aimed: boolean;
  method: string;
  target: string;
  headers: Header[];
  body: Buffer | undefined;
  chunked: boolean;
}

/** The request as bytes. */
export function encodeShot(shot: Shot, values: Record<string, string>): Buffer {
  const fill = (text: string): string =>
    text.replaceAll(
      /\{(\w+)\}/g,
      (open, name: string) => (Object.hasOwn(values, name) && values[name]) || open,
    );
  const headers = shot.headers.map(([name, value]): Header => [name, fill(value)]);
  if (!headers.some(([name]) => name === 'host')) headers.unshift(['host', '127.0.0.1']);
  if (shot.body)
    headers.push(shot.chunked ? ['transfer-encoding', 'chunked'] : ['content-length', `${shot.body.length}`]);
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const head = `${shot.method} ${fill(shot.target)} HTTP/1.1\r\n${lines}\r\n`;
  return Buffer.concat([
    Buffer.from(head),
    shot.chunked ? chunks(shot.body) : (shot.body ?? Buffer.alloc(0)),
  ]);
}

function chunks(body: Buffer = Buffer.alloc(0)): Buffer {
  const half = Math.ceil(body.length / 2);
  const parts = [body.subarray(0, half), body.subarray(half)].filter((part) => part.length > 0);
  return Buffer.concat([
    ...parts.flatMap((part) => [Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]),
    Buffer.from('0\r\n\r\n'),
  ]);
}

/** The contents of a failure report. */
export function describeShot(shot: Shot): string {
  const cut = (text: string): string =>
    text.length > 600 ? `${text.slice(0, 600)}… (${text.length} characters)` : text;
  return [
    `${shot.method} ${cut(shot.target)}`,
    ...shot.headers.map(([name, value]) => `${name}: ${cut(JSON.stringify(value))}`),
    shot.body
      ? `body: ${cut(JSON.stringify(shot.body.toString('latin1')))}${shot.chunked ? ' (chunked)' : ''}`
      : 'no body',
  ].join('\n');
}

/** Makes fast-check print the request instead of the object. */
export function printable(shot: Shot): Shot {
  return Object.assign(shot, { [fc.toStringMethod]: () => `\n${describeShot(shot)}\n` });
}
