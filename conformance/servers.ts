/** The servers under test: the real service, and the suite's fixture behind the code that serves agents there. */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmod } from 'node:fs/promises';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fastify } from 'fastify';
import { registerMcp } from '../src/surfaces/mcp/routes.ts';
import { createFixture } from './fixture.ts';

export interface Servers {
  /** `/mcp` of the service; the key is added on the way, because the suite cannot send one. */
  service: string;
  fixture: string;
  stop: () => Promise<void>;
  /** At once. */
  kill: () => void;
}

const key = `sk_${'conformance'.repeat(4)}`;

export async function startServers(root: string, folder: string): Promise<Servers> {
  // The database runs as another user when this one is root.
  await chmod(folder, 0o755);
  const { child, origin } = await startService(root, folder);
  const proxy = await startProxy(origin);
  const fixture = await startFixture();
  return {
    service: `${proxy.origin}/mcp`,
    fixture: `${fixture.origin}/mcp`,
    kill: () => void child.kill('SIGTERM'),
    stop: async () => {
      await Promise.all([proxy.stop(), fixture.stop()]);
      child.kill('SIGTERM');
      if (child.exitCode === null) await new Promise((resolve) => child.once('exit', resolve));
    },
  };
}

/** As a user starts it. */
async function startService(root: string, folder: string): Promise<{ child: ChildProcess; origin: string }> {
  const child = spawn(process.execPath, [join(root, 'dist/program/main.js'), 'serve'], {
    env: {
      PATH: process.env['PATH'],
      DRYDOCK_PORT: '0',
      DRYDOCK_DATA_DIR: join(folder, 'service'),
      DRYDOCK_BOOTSTRAP_KEY: key,
      DRYDOCK_RATE_LIMIT: 'off',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const origin = await new Promise<string>((resolve, reject) => {
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk;
      const url = /API +(\S+)\/api\/v1/.exec(said)?.[1];
      if (url !== undefined) resolve(url);
    });
    child.once('exit', () => reject(new Error(`the service did not start: ${said}`)));
  });
  return { child, origin };
}

async function startProxy(target: string): Promise<{ origin: string; stop: () => Promise<void> }> {
  const server = createServer((incoming, outgoing) => {
    const { host, ...headers } = incoming.headers;
    const request = send(`${target}${incoming.url}`, {
      method: incoming.method,
      // Host and Origin go as they came: some scenarios are about them.
      headers: { ...headers, ...(host !== undefined && { host }), authorization: `Bearer ${key}` },
    });
    request.on('response', (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    request.on('error', () => outgoing.destroy());
    outgoing.on('close', () => request.destroy());
    incoming.pipe(request);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function startFixture(): Promise<{ origin: string; stop: () => Promise<void> }> {
  const app = fastify({ forceCloseConnections: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  registerMcp(app, {
    host: '127.0.0.1',
    publicUrl: undefined,
    recognize: async () => 'conformance',
    load: async () => () => createFixture(),
    origin: () => '',
    failed: () => {},
  });
  app.setErrorHandler((error, _request, reply) => {
    const { code } = error as { code?: string };
    void reply.code(code === 'FORBIDDEN' ? 403 : 400).send({ error: String(error) });
  });
  return {
    origin: await app.listen({ host: '127.0.0.1', port: 0 }),
    stop: async () => {
      await app.close();
    },
  };
}
