import { createParser } from 'eventsource-parser';
import { McpFailure } from './failures.ts';

/** As much as a probe reads of one answer. An answer to a greeting is small, and a stream may have no end. */
export const mostProbeBytes = 1024 * 1024;

/** What a JSON-RPC request was answered with. */
export interface RpcAnswer {
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: unknown };
}

export interface ProbeAnswer {
  /** What was read, whole events only. */
  text: string;
  message?: RpcAnswer;
}

/** The first JSON-RPC answer in a response, whichever of the two forms it has, and the text it came in. */
export async function readAnswer(response: Response, host: string): Promise<ProbeAnswer> {
  const type = response.headers.get('content-type') ?? '';
  if (/^text\/event-stream\b/i.test(type) && response.body) return readEvents(response.body, host);
  const text = await response.text();
  return withMessage(text, messageIn(text));
}

/** Reads events until one of them is the answer; others, like notifications, may come first. */
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
      if (bytes > mostProbeBytes)
        throw new McpFailure('too-large', `${host} sent more than 1 MiB without an answer`);
      const piece = decoder.decode(value, { stream: !done });
      pieces.push(piece);
      parser.feed(piece);
      // The last event may lack the empty line that ends it.
      if (done) parser.feed('\n\n');
      if (message || done) break;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
  return withMessage(wholeEvents(pieces.join('')), message);
}

/** Half of an event could end with half of a secret. */
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
