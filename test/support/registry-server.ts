import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

interface Published {
  server: object;
  updatedAt: number;
  status?: string;
  isLatest?: boolean;
}

type Interruption = (url: URL, response: ServerResponse) => boolean;

/** A registry on this machine that answers as the official one does: pages, what changed since, and entity tags. */
export class RegistryServer {
  readonly published = new Map<string, Published>();
  readonly asked: { url: URL; status: number; tag: string | undefined }[] = [];
  /** Answers instead, where it returns true. */
  instead: Interruption = () => false;
  url = '';

  static async start(): Promise<RegistryServer> {
    const registry = new RegistryServer();
    const server = createServer((request, response) => registry.answer(request, response)).listen(
      0,
      '127.0.0.1',
    );
    await new Promise((resolve) => server.once('listening', resolve));
    registry.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return registry;
  }

  publish(server: Record<string, unknown>, more: Partial<Published> = {}): void {
    this.published.set(String(server['name']), { server, updatedAt: Date.now(), ...more });
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '', this.url);
    response.once('finish', () =>
      this.asked.push({ url, status: response.statusCode, tag: request.headers['if-none-match'] }),
    );
    if (this.instead(url, response)) return;
    if (url.pathname !== '/v0.1/servers') return void response.writeHead(404).end();
    const since = Date.parse(url.searchParams.get('updated_since') ?? '');
    const listed = [...this.published.entries()]
      .filter(([, { updatedAt, status }]) =>
        Number.isNaN(since) ? status !== 'deleted' : updatedAt >= since,
      )
      .sort(([a], [b]) => (a < b ? -1 : 1));
    const from = Number(url.searchParams.get('cursor')?.replace('at-', '') ?? 0);
    const limit = Number(url.searchParams.get('limit') ?? 30);
    const servers = listed
      .slice(from, from + limit)
      .map(([, { server, status = 'active', isLatest = true }]) => ({
        server,
        _meta: { 'io.modelcontextprotocol.registry/official': { status, isLatest } },
      }));
    const more = from + limit < listed.length;
    const metadata = { count: servers.length, ...(more && { nextCursor: `at-${from + limit}` }) };
    const text = JSON.stringify({ servers, metadata });
    const etag = `"${createHash('sha256').update(text).digest('hex').slice(0, 16)}"`;
    if (request.headers['if-none-match'] === etag) return void response.writeHead(304, { etag }).end();
    response.writeHead(200, { 'content-type': 'application/json', etag }).end(text);
  }
}
