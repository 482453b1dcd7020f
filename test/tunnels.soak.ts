import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { withCredit, withoutCredit } from '../src/tunnels/wire.ts';
import { startTestService, type TestService } from './support/service.ts';
import { hold, holdAsBefore, openTunnel } from './support/tunnels.ts';
import { serveWeb } from './support/web.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const minutes = 3;
/** Longer than between two pings, so that nothing but them keeps the line. */
const silence = 40_000;

test.concurrent.each([
  [withCredit, hold],
  [withoutCredit, holdAsBefore],
])(
  `by %s a stream of events is held for ${minutes} minutes, most of them silent`,
  {
    timeout: minutes * 60_000 + 60_000,
  },
  async (protocol, by) => {
    let written = 0;
    const { origin } = await serveWeb((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const write = (): void => void response.write(`data: ${written++}\n\n`);
      write();
      const timer = setInterval(write, silence);
      response.on('close', () => clearInterval(timer));
    });
    const grant = await openTunnel(service, await service.defaultProject(), protocol);
    const holder = by(grant, `${origin}/mcp`);
    onTestFinished(() => holder.stop());
    await holder.greeted();
    const caller = new AbortController();
    const { body } = await fetch(grant.url, { signal: caller.signal });
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    const ends = Date.now() + minutes * 60_000;
    for (let nth = 0; Date.now() < ends; nth++) {
      const read = await Promise.race([reader.read(), delay(silence + 10_000)]);
      expect(Buffer.from(read?.value ?? []).toString()).toBe(`data: ${nth}\n\n`);
    }
    caller.abort();
    expect(holder.events.filter(({ type }) => type === 'connected')).toHaveLength(1);
  },
);
