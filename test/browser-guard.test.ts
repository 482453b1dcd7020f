import { createSocket, type Socket } from 'node:dgram';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { startEngine } from './support/browser-engine.ts';
import { chromiumPath } from './support/chromium.ts';
import { serveWeb, type Web } from './support/web.ts';

/** Every way a page can load something, at an address that the guard forbids. */

const page = new URL('./support/browser-vectors.html', import.meta.url);

/** A UDP socket that counts the packets it receives. */
async function listenForPackets(address: string): Promise<{ port: number; readonly packets: number }> {
  const socket: Socket = createSocket('udp4');
  const seen = { port: 0, packets: 0 };
  socket.on('message', () => seen.packets++);
  await new Promise<void>((resolve) => socket.bind(0, address, resolve));
  onTestFinished(() => new Promise<void>((resolve) => socket.close(() => resolve())));
  seen.port = socket.address().port;
  return seen;
}

async function vectorPage(forbidden: Web, udp: number): Promise<Web> {
  const html = (await readFile(page, 'utf8'))
    .replaceAll('{{forbidden}}', `127.0.0.2:${forbidden.port}`)
    .replaceAll('{{udp}}', `127.0.0.2:${udp}`);
  return serveWeb((request, response) => {
    const url = new URL(request.url ?? '', 'http://127.0.0.1');
    const away = `http://127.0.0.2:${forbidden.port}`;
    // Paths below /302/ redirect to the forbidden address.
    if (url.pathname.startsWith('/302/'))
      return void response
        .writeHead(302, { location: `${away}${url.pathname}`, 'access-control-allow-origin': '*' })
        .end();
    const script = `fetch('${away}/worker-fetch').catch(() => {}); importScripts('${away}/worker-script')`;
    const [type, body] = url.pathname.endsWith('.js')
      ? ['text/javascript', script]
      : url.pathname.endsWith('.css')
        ? ['text/css', `@import url(${away}/css-import); body { background: url(${away}/css-url) }`]
        : ['text/html', url.pathname === '/' ? html : '<p>nothing'];
    response.writeHead(200, { 'content-type': type }).end(body);
  });
}

/** The Chromium that all tests use and, where installed, the system's Chromium with windows. */
const browsers = [...new Set([chromiumPath, ...['/usr/bin/chromium'].filter((path) => existsSync(path))])];

test.each(browsers)(
  'nothing that a page does reaches an address that is forbidden, in %s',
  { tags: ['chromium'] },
  async (browser) => {
    const forbidden = await serveWeb((_, response) => void response.end('reached'), '127.0.0.2');
    const udp = await listenForPackets('127.0.0.2');
    const web = await vectorPage(forbidden, udp.port);
    // Without this switch Chromium does not try WebRTC connections to loopback addresses.
    const engine = startEngine({ browser, switches: ['--allow-loopback-in-peer-connection'] });
    const session = await engine.open({ policy: { mode: 'allow_all' } });
    expect(await session.perform({ op: 'navigate', url: `${web.origin}/` })).toMatchObject({
      result: 'executed',
    });
    // The page's last attempt is a meta refresh.
    await expect
      .poll(() => session.refusals.map(({ url }) => new URL(url, 'http://x').pathname))
      .toContain('/meta-refresh');
    expect([forbidden.connections, udp.packets]).toEqual([0, 0]);

    const tried = new Set(session.refusals.map(({ url }) => url));
    const names = (await readFile(page, 'utf8')).matchAll(/\{\{forbidden\}\}\/([\w-]+)/g);
    const redirected = web.paths.filter((path) => path.startsWith('/302/'));
    expect(redirected.length).toBeGreaterThan(8);
    const expected = [...[...names].map(([, name]) => `/${name}`), ...redirected].map(
      (path) => `http://127.0.0.2:${forbidden.port}${path}`,
    );
    // The page tried every vector. A tunnel shows only host and port, and a headless browser loads no icons.
    const unseen = ['https', 'ws', 'wss', 'transport', ...(browser.includes('headless') ? ['icon'] : [])];
    const missing = expected.filter(
      (url) => !tried.has(url) && !unseen.some((name) => url.endsWith(`/${name}`)),
    );
    expect(missing).toEqual([]);
    expect(tried).toContain(`127.0.0.2:${forbidden.port}`);
    for (const { reason } of session.refusals) expect(reason).toContain('127.0.0.2 is a loopback address');
  },
);
