import { createServer } from 'node:net';

/** Below the range for outgoing connections, so that nothing takes it while its server is down. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 15_000 + Math.floor(Math.random() * 15_000);
    const probe = createServer();
    const free = await new Promise<boolean>((resolve) => {
      // Without a host, as most of the servers listen.
      probe.once('error', () => resolve(false)).listen(port, () => resolve(true));
    });
    if (!free) continue;
    await new Promise((resolve) => probe.close(resolve));
    return port;
  }
}
