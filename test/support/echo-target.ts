import { answerLegacy, type Exchange, sendError, sendResult } from '../targets/legacy.ts';
import { listen, readRpc, type Target } from '../targets/listen.ts';

/** Ways in which a server may repeat what it was told. */
export const waysToEcho: Record<string, (secret: string) => string> = {
  plainly: (secret) => `You sent ${secret}.`,
  'as JSON': (secret) => JSON.stringify({ sent: secret }),
  'as JSON in JSON': (secret) => JSON.stringify({ body: JSON.stringify({ sent: secret }) }),
  'as ASCII JSON': (secret) =>
    JSON.stringify({ sent: secret }).replaceAll(
      /[^\x20-\x7e]/g,
      (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
  'in a URL': (secret) => `https://x.example/?token=${encodeURIComponent(secret)}`,
  'in a URL in lower case': (secret) =>
    `https://x.example/?token=${encodeURIComponent(secret).replaceAll(/%../g, (one) => one.toLowerCase())}`,
  'in a page': (secret) =>
    `<b>${secret.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')}</b>`,
  'in base64': (secret) => Buffer.from(secret).toString('base64'),
  'in base64 with something before it': (secret) => Buffer.from(`x${secret}y`).toString('base64'),
  'in base64 with more before it': (secret) => Buffer.from(`xx${secret}y`).toString('base64'),
  'in base64 for URLs': (secret) => Buffer.from(`user:${secret}`).toString('base64url'),
  'in a long text': (secret) => `${'long '.repeat(10_000)}${secret}${' text'.repeat(10_000)}`,
};

export interface EchoTarget extends Target {
  url(host?: string): string;
  /** Headers of the requests, each once. */
  seen: Set<string>;
}

/** A server that repeats one of its headers in every way, also where nobody expects it. */
export async function startEcho(header: string): Promise<EchoTarget> {
  const seen = new Set<string>();
  const { port, stop } = await listen(async (request, response) => {
    const { rpc } = await readRpc(request);
    const sent = String(request.headers[header] ?? 'nothing at all');
    seen.add(sent);
    answer({ request, response, rpc, path: request.url ?? '/', origin: '' }, sent);
  });
  const url = (host = '127.0.0.1'): string => `http://${host}:${port}/mcp`;
  return { url, seen, stop, [Symbol.asyncDispose]: stop };
}

function answer(exchange: Exchange, sent: string): void {
  const { rpc } = exchange;
  const inputSchema = { type: 'object', properties: { way: { type: 'string' } } };
  if (rpc?.method === 'tools/list')
    return sendResult(exchange, {
      tools: [
        { name: 'echo', description: `Echoes ${sent}`, inputSchema: { ...inputSchema, title: sent } },
        { name: `named ${sent}`, inputSchema },
      ],
    });
  if (rpc?.method !== 'tools/call') return answerLegacy(exchange);
  const { way = '' } = (rpc.params?.arguments ?? {}) as { way?: string };
  if (way === 'refuses') return sendError(exchange, { code: -32000, message: `no: ${sent}`, data: { sent } });
  if (way === 'refuses in base64')
    return sendError(exchange, { code: -32000, message: Buffer.from(`x${sent}`).toString('base64') });
  const text = (waysToEcho[way] ?? String)(sent);
  sendResult(exchange, {
    content: [{ type: 'text', text }],
    structuredContent: { [text.slice(0, 1000)]: [text] },
    isError: way === 'plainly',
  });
}
