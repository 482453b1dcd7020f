import { request as send } from 'node:http';
import { serveDemoHttp } from '../../src/demo-server/http.ts';
import { asTarget, listen, type Target } from './listen.ts';
import { startEverything } from './processes.ts';

export interface Gated extends Target {
  url: string;
  sseUrl: string;
}

/**
 * A gateway that asks for `X-API-Key` on every request. Behind it, the demo server speaks both generations at `/mcp`, and
 * server-everything HTTP+SSE at `/sse`.
 */
export async function startGated(apiKey: string): Promise<Gated> {
  const [demo, everything] = await Promise.all([serveDemoHttp(0, 'test'), startEverything('sse')]);
  const { port, stop } = await listen(async (request, response) => {
    if (request.headers['x-api-key'] !== apiKey) return void response.writeHead(401).end();
    const origin = new URL(request.url?.startsWith('/mcp') ? demo.url : everything.url).origin;
    const { method = 'GET', headers } = request;
    const passed = send(`${origin}${request.url}`, { method, headers });
    passed.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      response.flushHeaders();
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    response.on('close', () => passed.destroy());
    request.pipe(passed);
  });
  const origin = `http://127.0.0.1:${port}`;
  return asTarget({ url: `${origin}/mcp`, sseUrl: `${origin}/sse` }, async () => {
    await stop();
    await Promise.all([demo.stop(), everything.stop()]);
  });
}
