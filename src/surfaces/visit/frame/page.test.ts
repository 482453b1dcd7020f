import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chromium } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { chromiumPath } from '../../../../test/support/chromium.ts';
import { framePage, framePolicy } from './page.ts';

/** Ways for the HTML of a widget to open a peer connection. `script` opens one, and so does `page`. */
const vectors: Record<string, (script: string, page: string) => string> = {
  'a script': (script) => `<script>${script}</script>`,
  'a script behind a comment': (script) => `<!-- <head> --><script>${script}</script>`,
  'a frame with a page': (_, page) => `<iframe srcdoc="${attribute(page)}"></iframe>`,
  'a frame with a script': (script) => `<iframe src="javascript:${attribute(script)}"></iframe>`,
  'a frame of a frameset': (script) => `<frameset><frame src="javascript:${attribute(script)}"></frameset>`,
  'a frame made by a script': (_, page) => adding(page),
  'a frame whose page is named later': (_, page) =>
    `<iframe id="later" src="https://drydock.invalid/"></iframe>
     <script>document.getElementById('later').srcdoc = ${literal(page)}</script>`,
  'a frame in a closed tree': (_, page) =>
    `<div id="host"></div><script>const host = document.getElementById('host');
     const root = host.attachShadow({ mode: 'closed', clonable: true });
     root.innerHTML = ${literal(framed(page))}</script>`,
  'a frame in the copy of a closed tree': (_, page) =>
    `<div id="host"></div><script>const host = document.getElementById('host');
     const root = host.attachShadow({ mode: 'closed', clonable: true });
     root.innerHTML = ${literal(`<template>${framed(page)}</template>`)};
     root.append(root.firstChild.content); document.body.append(host.cloneNode(true))</script>`,
  'a frame in a declared tree': (_, page) =>
    `<div><template shadowrootmode="closed">${framed(page)}</template></div>`,
  'a declared tree that is written': (_, page) =>
    `<script>document.write('<div><template shadow' + 'rootmode="closed">' + ${literal(framed(page))} + '</template>')</script>`,
  'a declared tree that is set': (_, page) =>
    `<div id="host"></div><script>document.getElementById('host').setHTMLUnsafe(
     '<div><template shadow' + 'rootmode="closed">' + ${literal(framed(page))} + '</template></div>')</script>`,
  'a declared tree that is set and sanitized': (_, page) => unheard('host.setHTML(tree, options)', page),
  'a declared tree that is set in another one': (_, page) =>
    unheard("host.attachShadow({ mode: 'open' }).setHTML(tree, options)", page),
  'a declared tree that is adopted': (_, page) =>
    unheard('host.append(document.adoptNode(Document.parseHTML(tree, options).body.firstChild))', page),
  'a page without the length of a list': (_, page) =>
    `<script>delete NodeList.prototype.length</script>${adding(page)}`,
  'a page whose lists are empty': (_, page) =>
    `<script>Object.defineProperty(NodeList.prototype, 'length', { get: () => 0 })</script>${adding(page)}`,
  'a page whose functions were replaced': (_, page) =>
    `<script>Element.prototype.remove = Reflect.apply = MutationObserver.prototype.observe = () => {};
     Document.prototype.querySelectorAll = () => []; Object.prototype.attributeFilter = ['x'];
     Object.prototype.childList = false</script>${adding(page)}`,
  'a page that was opened anew': (_, page) =>
    `<body><script>addEventListener('load', () => setTimeout(() => { document.open(); document.close();
     if (!document.documentElement) document.append(document.createElement('html'));
     const frame = document.createElement('iframe'); frame.srcdoc = ${literal(page)};
     document.documentElement.append(frame) }))</script>`,
};

function attribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
}

function literal(text: string): string {
  return JSON.stringify(text).replaceAll('<', String.raw`\u003c`);
}

function framed(page: string): string {
  return `<iframe srcdoc="${attribute(page)}"></iframe>`;
}

function adding(page: string): string {
  return `<body><script>const frame = document.createElement('iframe');
    frame.srcdoc = ${literal(page)}; document.body.append(frame)</script>`;
}

/** Adds a frame to a shadow root that the call of a parser creates below `host`. */
function unheard(call: string, page: string): string {
  return `<body><div id="host"></div><script>const host = document.getElementById('host');
    const tree = '<div><template shadow' + 'rootmode="open">a</template></div>', options = { sanitizer: {} };
    ${call};
    const find = (node) => node.shadowRoot?.firstElementChild?.shadowRoot ?? node.firstElementChild?.shadowRoot;
    const frame = document.createElement('iframe'); frame.srcdoc = ${literal(page)};
    find(host).append(frame)</script>`;
}

/** Opens a UDP port and counts the packets that arrive. */
async function listen(): Promise<{ port: number; readonly packets: number }> {
  const socket = createSocket('udp4');
  let packets = 0;
  socket.on('message', () => packets++);
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  return {
    port: socket.address().port,
    get packets() {
      return packets;
    },
  };
}

function connecting(port: number): string {
  return `const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${port}' }] });
    peer.createDataChannel('any'); peer.createOffer().then((offer) => peer.setLocalDescription(offer))`;
}

/** A page with a frame for each widget, which receives its HTML like on the pages of visits. */
function visiting(widgets: string[]): string {
  return `<!doctype html><body><script>for (const html of ${literal(JSON.stringify(widgets))
    .replace(/^/, 'JSON.parse(')
    .replace(/$/, ')')}) {
    const frame = document.createElement('iframe');
    frame.setAttribute('sandbox', 'allow-scripts allow-forms');
    frame.addEventListener('load', () => frame.contentWindow.postMessage(html, '*'), { once: true });
    frame.src = '/visit/frame';
    document.body.append(frame);
  }</script>`;
}

/** The vectors that sent packets, once the packets of an unguarded page have arrived. */
async function leaks(frame: string, expected: string[]): Promise<void> {
  const names = Object.keys(vectors);
  const listeners = await Promise.all(names.map(listen));
  const widgets = names.map((name, nth) => {
    const script = connecting(listeners[nth]?.port ?? 0);
    return vectors[name]?.(script, `<script>${script}</script>`) ?? '';
  });
  const control = await listen();
  const pages: Record<string, string> = {
    '/': visiting(widgets),
    '/visit/frame': frame,
    '/control': `<script>${connecting(control.port)}</script>`,
  };
  const server = createServer((request, response) => {
    const policy =
      request.url === '/visit/frame' ? { 'content-security-policy': framePolicy(undefined) } : {};
    response.writeHead(200, { 'content-type': 'text/html', ...policy }).end(pages[request.url ?? ''] ?? '');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const browser = await chromium.launch({
    executablePath: chromiumPath,
    // Without the second switch, Chromium does not connect to this machine.
    args: ['--no-sandbox', '--allow-loopback-in-peer-connection'],
  });
  onTestFinished(async () => {
    await browser.close();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const page = await browser.newPage();
  await page.goto(origin, { waitUntil: 'networkidle' });
  await (await browser.newPage()).goto(`${origin}/control`);
  const leaking = (): string[] => names.filter((_, nth) => (listeners[nth]?.packets ?? 0) > 0);
  await expect.poll(() => control.packets, { timeout: 20_000 }).toBeGreaterThan(1);
  await expect.poll(leaking, { timeout: 10_000 }).toEqual(expected);
}

test('a widget sends no packets past its policy', { tags: ['chromium'] }, async () => {
  expect.hasAssertions();
  await leaks(framePage, []);
});

test('and each way that is tried would lead to packets', { tags: ['chromium'] }, async () => {
  const unguarded = framePage
    .replace(/(?<=allow-forms', )".*?"(?=\);<\/script>)/s, '""')
    .replace('shadowrootmode', 'no-such-text');
  expect(unguarded).not.toContain('RTCPeerConnection');
  await leaks(unguarded, Object.keys(vectors));
});
