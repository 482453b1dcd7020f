import { connect } from 'node:net';

export interface Load {
  perSecond: number;
  p50: number;
  p99: number;
}

type Headers = Record<string, string>;

/**
 * Keeps `connections` sockets busy for `seconds`, one request after another on each. Written on bare sockets:
 * the load shares two cores with what it measures, so it must cost little.
 */
export async function load(
  url: string,
  headers: Headers | ((connection: number) => Headers),
  seconds: number,
  connections = 32,
): Promise<Load> {
  const { hostname, port, pathname, search } = new URL(url);
  const requestOf = (connection: number): string => {
    const own = typeof headers === 'function' ? headers(connection) : headers;
    const lines = Object.entries({ host: `${hostname}:${port}`, ...own }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    );
    return `GET ${pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n`;
  };
  const latencies: number[] = [];
  const end = performance.now() + seconds * 1000;
  const lane = (connection: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const request = requestOf(connection);
      let sent = 0;
      let left = -1;
      let head = '';
      const send = (): void => {
        if (performance.now() >= end) return void socket.end(resolve);
        sent = performance.now();
        left = -1;
        head = '';
        socket.write(request);
      };
      const socket = connect(Number(port), hostname, send).setNoDelay(true).on('error', reject);
      socket.on('data', (chunk) => {
        let body = chunk.length;
        if (left < 0) {
          head += chunk.toString('latin1');
          const split = head.indexOf('\r\n\r\n');
          if (split < 0) return;
          if (!head.startsWith('HTTP/1.1 200')) return reject(new Error(head.slice(0, 200)));
          left = Number(/content-length: (\d+)/i.exec(head)?.[1]);
          body = head.length - split - 4;
        }
        left -= body;
        if (left > 0) return;
        latencies.push(performance.now() - sent);
        send();
      });
    });
  const began = performance.now();
  await Promise.all(Array.from({ length: connections }, (_, connection) => lane(connection)));
  const elapsed = (performance.now() - began) / 1000;
  latencies.sort((a, b) => a - b);
  const at = (share: number): number =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] as number;
  return { perSecond: latencies.length / elapsed, p50: at(0.5), p99: at(0.99) };
}
