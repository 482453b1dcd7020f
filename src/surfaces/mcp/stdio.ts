import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Client } from '../client/index.ts';
import { selectionOf } from './selection.ts';
import { createAgentServer } from './server.ts';

export interface McpStdioOptions {
  /** Like `servers,eval-runs`; the default is the task tools. */
  toolsets?: string | undefined;
  readOnly?: boolean | undefined;
  version: string;
}

/** Maximum body in bytes; the service enforces its own limit. */
const bodyLimit = 6 * 1024 * 1024;

/** Serves an agent on stdin and stdout until stdin ends. Errors are written to stderr. */
export async function serveMcpStdio(client: Client, options: McpStdioOptions): Promise<void> {
  const selection = selectionOf(options.toolsets, options.readOnly ?? false);
  const tell = (error: unknown): void => void process.stderr.write(`${String(error)}\n`);
  const agent = { client, selection, version: options.version, bodyLimit, failed: tell };
  const connection = serveStdio(() => createAgentServer(agent), { onerror: tell });
  await new Promise<void>((resolve) => {
    const over = (): void => resolve();
    process.stdin.once('end', over).once('close', over);
    process.stdout.once('error', over);
  });
  await connection.close();
}
