import { createParser } from 'eventsource-parser';
import { McpFailure } from './failures.ts';

/** Maximum bytes read of one response. Handshake responses are small, and a stream may be endless. */
export const maxProbeBytes = 1024 * 1024;

export interface RpcAnswer {
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: unknown };
}

export interface ProbeAnswer {
  /** The text that was read, in whole events. */
  text: string;
  message?: RpcAnswer;
}

/** Reads the first JSON-RPC response, in either of the two formats, and its text. */
export async function readAnswer(response: Response, host: string): Promise<ProbeAnswer> {
  const type = response.headers.get('content-type') ?? '';
  if (/^text\/event-stream\b/i.test(type) && response.body) return readEvents(response.body, host);
  const text = await response.text();
  return withMessage(text, messageIn(text));
}

/** Reads events until the response. Notifications may come first. */
async function readEvents(body: ReadableStream<Uint8Array>, host: string): Promise<ProbeAnswer> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  const pieces: string[] = [];
  let message: RpcAnswer | undefined;
  let bytes = 0;
  const parser = createParser({ onEvent: ({ data }) => void (message ??= messageIn(data)) });
  try {
    for (;;) {
      const { value, done } = await reader.read();
      bytes += value?.byteLength ?? 0;
      if (bytes > maxProbeBytes)
        throw new McpFailure('too-large', `${host} sent more than 1 MiB without an answer`);
      const piece = decoder.decode(value, { stream: !done });
      pieces.push(piece);
      parser.feed(piece);
      // The last event may lack its final empty line.
      if (done) parser.feed('\n\n');
      if (message || done) break;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
  return withMessage(wholeEvents(pieces.join('')), message);
}

/** The text up to its last whole event. An incomplete event could end with part of a secret. */
function wholeEvents(text: string): string {
  return /^[^]*(?:\n\n|\r\n\r\n|\r\r)/.exec(text)?.[0] ?? '';
}

function withMessage(text: string, message: RpcAnswer | undefined): ProbeAnswer {
  return { text, ...(message && { message }) };
}

function messageIn(text: string): RpcAnswer | undefined {
  try {
    const value = JSON.parse(text) as RpcAnswer | null;
    return value?.result !== undefined || value?.error !== undefined ? value : undefined;
  } catch {
    return undefined;
  }
}
