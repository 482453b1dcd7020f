import { lookup } from 'node:dns/promises';
import { connect, isIP } from 'node:net';
import type { Browser } from 'playwright-core';
import { BrowserFailure } from './failure.ts';
import { loadPlaywright } from './playwright.ts';

/** Milliseconds to connect to the browser. */
const connectTimeout = 15_000;
const needed = ['--enable-automation', '--webrtc-ip-handling-policy=disable_non_proxied_udp'];

export interface RemoteChromium {
  browser: Browser;
  /** Where guards listen for this browser, and the address they accept connections from. */
  listen: { address: string; from: string };
}

/**
 * Connects to a Chromium on another machine. Guards run in this process, so the browser must be able to reach this
 * machine, and features that bypass a proxy must be disabled in it, which is checked.
 */
export async function connectRemote(address: string): Promise<RemoteChromium> {
  const listen = await facing(new URL(address));
  const { chromium } = await loadPlaywright();
  const browser = await chromium
    .connectOverCDP(address, { timeout: connectTimeout })
    .catch((error: unknown) => {
      const line = String(error).split('\n')[0] ?? '';
      throw new BrowserFailure(
        'off',
        `The browser at ${new URL(address).host} cannot be used: ${line.slice(0, 300)}`,
      );
    });
  const missing = await missingSwitches(browser);
  if (missing.length === 0) return { browser, listen };
  await browser.close().catch(() => {});
  throw new BrowserFailure(
    'off',
    `The browser at ${new URL(address).host} must be started with ${missing.join(' and ')}; otherwise its pages bypass the network guard`,
  );
}

async function missingSwitches(browser: Browser): Promise<string[]> {
  const session = await browser.newBrowserCDPSession();
  // Chromium reports its command line to the first session only.
  const line = await session
    .send('Browser.getBrowserCommandLine')
    .catch(() => ({ arguments: [] as string[] }));
  await session.detach().catch(() => {});
  return needed.filter((one) => !line.arguments.includes(one));
}

/** The address of this machine as seen by the browser, found by connecting to it. */
async function facing(url: URL): Promise<RemoteChromium['listen']> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const secure = url.protocol === 'wss:' || url.protocol === 'https:';
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port);
  const from = isIP(host) === 0 ? (await lookup(host, { family: 4 })).address : host;
  return new Promise((resolve, reject) => {
    const socket = connect({ host: from, port, timeout: connectTimeout });
    const fail = (why: string): void => {
      socket.destroy();
      reject(new BrowserFailure('off', `The browser at ${url.host} cannot be reached: ${why}`));
    };
    socket.once('connect', () => {
      resolve({ address: socket.localAddress ?? '127.0.0.1', from });
      socket.destroy();
    });
    socket.once('timeout', () => fail('it does not answer'));
    socket.once('error', (error: NodeJS.ErrnoException) => fail(error.code ?? 'unknown trouble'));
  });
}
