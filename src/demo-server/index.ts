import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createDemoServer } from './server.ts';

export { serveDemoHttp } from './http.ts';

/** The demo server on this process's standard input and output. */
export function serveDemoStdio(version: string): void {
  serveStdio(() => createDemoServer(version));
}
