import { text } from 'node:stream/consumers';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { answerWeb, asTarget, listen, type Target } from '../targets/listen.ts';

/** A server of the present era with one tool, which says that it only reads, or does not. */
export async function serveTools(
  readOnlyHint: boolean,
): Promise<Target & { url: string; calls: () => number }> {
  let calls = 0;
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'tools', version: '1.0.0' });
    server.registerTool(
      'look',
      { description: 'Look.', inputSchema: z.object({}), annotations: { readOnlyHint } },
      () => {
        calls++;
        return { content: [{ type: 'text' as const, text: 'seen' }] };
      },
    );
    return server;
  });
  const target = await listen(async (request, response) => {
    await answerWeb((web) => handler.fetch(web), request, response, await text(request));
  });
  const stop = async (): Promise<void> => {
    await handler.close();
    await target.stop();
  };
  return asTarget({ url: `http://127.0.0.1:${target.port}/mcp`, calls: () => calls }, stop);
}
