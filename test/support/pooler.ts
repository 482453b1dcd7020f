import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { inject, onTestFinished } from 'vitest';

/** Startup parameters that PgBouncer accepts; it refuses all others. */
const known = new Set(['user', 'database', 'client_encoding', 'application_name', 'datestyle', 'timezone']);

/** A stand-in for PgBouncer: it refuses startup parameters and gives its clients other process IDs. */
export async function startPooler(url: string, { refuses = true } = {}): Promise<string> {
  const { host } = inject('postgres');
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(`${host}/.s.PGSQL.5432`);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    }
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
    client.once('data', (startup: Buffer) => {
      const stranger = parametersOf(startup).find((name) => !known.has(name));
      if (refuses && stranger !== undefined) return void client.end(refusal(stranger));
      upstream.write(startup);
      client.pipe(upstream);
      forwardWithOtherPid(upstream, client);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const { username, pathname } = new URL(url);
  return `postgres://${username}@127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`;
}

/** Length and protocol version, then names and values, each ended by a zero. */
function parametersOf(startup: Buffer): string[] {
  const words = startup.subarray(8).toString('utf8').split('\0');
  return words.filter((word, i) => i % 2 === 0 && word !== '');
}

function refusal(name: string): Buffer {
  const fields = `SFATAL\0VFATAL\0C08P01\0Munsupported startup parameter: ${name}\0\0`;
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, Buffer.from(fields)]);
}

/** Parses messages up to the first ReadyForQuery, and changes the process ID in BackendKeyData. */
function forwardWithOtherPid(upstream: Socket, client: Socket): void {
  let held = Buffer.alloc(0);
  const look = (chunk: Buffer): void => {
    held = Buffer.concat([held, chunk]);
    for (let at = 0; at + 5 <= held.length; at += 1 + held.readInt32BE(at + 1)) {
      const kind = String.fromCharCode(held[at] as number);
      if (kind === 'K' && at + 9 <= held.length)
        held.writeInt32BE(held.readInt32BE(at + 5) ^ 0x40000000, at + 5);
      if (kind !== 'Z') continue;
      client.write(held);
      upstream.off('data', look);
      upstream.pipe(client);
      return;
    }
  };
  upstream.on('data', look);
}
