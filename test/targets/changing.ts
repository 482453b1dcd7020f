import { answerLegacy, initializeResult, sendError, sendResult } from './legacy.ts';
import { asTarget, listen, readRpc, type Target } from './listen.ts';

interface ChangingTool {
  name: string;
  description?: string;
  inputSchema: object;
  outputSchema?: object;
  annotations?: Record<string, unknown>;
  [field: string]: unknown;
}

/** The current behavior of the server; a test replaces parts of it. */
interface Now {
  instructions: string | undefined;
  tools: ChangingTool[];
  /** Awaited before the tools are listed. */
  listing?: () => Promise<void>;
  /** The result of a call. A thrown value is a JSON-RPC error; undefined never answers. */
  call: (
    name: string,
    input: Record<string, unknown>,
    headers: NodeJS.Dict<string | string[]>,
  ) => object | undefined;
}

export interface Changing extends Target {
  url: string;
  now: Now;
  /** Names of the tools that were called, in order. */
  called: string[];
}

/** A server whose behavior a test can change while it runs. */
export async function startChanging(start: Partial<Now> = {}): Promise<Changing> {
  const now: Now = {
    instructions: undefined,
    tools: [],
    call: () => ({ content: [{ type: 'text', text: 'done' }] }),
    ...start,
  };
  const called: string[] = [];
  const { port, stop } = await listen(async (request, response) => {
    const { rpc } = await readRpc(request);
    const exchange = { request, response, rpc, path: request.url ?? '/', origin: '' };
    if (rpc?.method === 'initialize')
      return sendResult(exchange, { ...initializeResult(), instructions: now.instructions });
    if (rpc?.method === 'tools/list') {
      await now.listing?.();
      return sendResult(exchange, { tools: now.tools });
    }
    if (rpc?.method !== 'tools/call') return answerLegacy(exchange);
    const name = rpc.params?.name ?? '';
    called.push(name);
    try {
      const input = (rpc.params?.arguments ?? {}) as Record<string, unknown>;
      const result = now.call(name, input, request.headers);
      if (result) sendResult(exchange, result);
    } catch (error) {
      sendError(exchange, { code: -32000, message: (error as Error).message });
    }
  });
  return asTarget({ url: `http://127.0.0.1:${port}/mcp`, now, called }, stop);
}
