import { createHook } from 'node:async_hooks';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createDatabase } from './support/database.ts';
import { Drydock } from './support/process.ts';
import { dispose, startTestService, type TestService } from './support/service.ts';

/**
 * Most that a short request and a start may cost, in numbers that are the same on every machine. A change that exceeds one of
 * them makes each request or each start slower: make it cheaper, or say in the commit why it is worth it.
 */
const budgets = {
  request: { statements: 1, promises: 45 },
  start: { files: 150, megabytes: 3.2 },
};

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ worker: false, env: { DRYDOCK_LOG_LEVEL: 'warn' } });
});
afterAll(() => dispose(service));

function requestOf(path: string, key: string): string {
  return `GET /api/v1${path} HTTP/1.1\r\nhost: ${new URL(service.origin).host}\r\nauthorization: Bearer ${key}\r\n\r\n`;
}

async function opened(): Promise<Socket> {
  const { hostname, port } = new URL(service.origin);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** Asks `times` times, one after the other on one connection, with almost no promises of its own. */
function ask(socket: Socket, times: number, path: string): Promise<void> {
  const request = requestOf(path, service.key);
  return new Promise((resolve, reject) => {
    let left = times;
    socket.on('error', reject).on('data', (chunk) => {
      if (!chunk.toString().startsWith('HTTP/1.1 200')) reject(new Error(chunk.toString()));
      else if (--left > 0) socket.write(request);
      else {
        socket.removeAllListeners();
        resolve();
      }
    });
    socket.write(request);
  });
}

/**
 * Asks with each key at the same moment, on a connection each. Returns the bodies of the answers and the number of
 * statements sent.
 */
async function askTogether(
  keys: readonly string[],
  path: string,
): Promise<{ bodies: string[]; sent: number }> {
  const sockets = await Promise.all(keys.map(opened));
  const answered = () =>
    Promise.all(
      sockets.map(async (socket, n) => {
        socket.write(requestOf(path, keys[n] as string));
        const [answer] = (await once(socket, 'data')) as [Buffer];
        return answer.toString().split('\r\n\r\n')[1] as string;
      }),
    );
  // The first requests arrive one by one, as their connections are accepted.
  await answered();
  let bodies: string[] = [];
  const sent = await statementsDuring(async () => (bodies = await answered()));
  return { bodies, sent };
}

/** The number of statements sent during `work`. */
async function statementsDuring(work: () => Promise<unknown>): Promise<number> {
  const query = vi.spyOn(pg.Client.prototype, 'query');
  try {
    await work();
    return query.mock.calls.length;
  } finally {
    query.mockRestore();
  }
}

/** The least of a few counts, because background work may come in between. */
async function leastOf(count: () => Promise<number>): Promise<number> {
  const counts: number[] = [];
  for (let round = 0; round < 5; round++) counts.push(await count());
  return Math.min(...counts);
}

describe('GET /me', () => {
  const times = 50;

  test('sends one statement', async () => {
    const socket = await opened();
    await ask(socket, 10, '/me');
    const sent = await leastOf(() => statementsDuring(() => ask(socket, times, '/me')));
    expect(sent / times).toBe(budgets.request.statements);
  });

  test('makes no more promises than its budget', async () => {
    const socket = await opened();
    await ask(socket, 10, '/me');
    const promises = await leastOf(async () => {
      let made = 0;
      const hook = createHook({ init: (_id, type) => void (type === 'PROMISE' && made++) }).enable();
      await ask(socket, times, '/me');
      hook.disable();
      return made;
    });
    expect(promises / times).toBeLessThanOrEqual(budgets.request.promises);
    // A budget that is far too large would not be noticed.
    expect(promises / times).toBeGreaterThan(budgets.request.promises * 0.8);
  });
});

describe('accounts that are read together', () => {
  const me = async (key: string) => (await service.get('/me', { key })).body as { id: string };

  test('take fewer statements than requests, and each request gets its own', async () => {
    const others = await Promise.all(Array.from({ length: 8 }, () => service.member('member')));
    const callers = Array.from({ length: 100 }, (_, n) => others[n % others.length] as (typeof others)[0]);
    const { bodies, sent } = await askTogether(
      callers.map(({ key }) => key),
      '/me',
    );
    expect(bodies.map((body) => (JSON.parse(body) as { id: string }).id)).toEqual(
      callers.map(({ userId }) => userId),
    );
    expect(sent).toBeLessThan(callers.length / 4);
  });

  test('never include a key that was revoked before the request', async () => {
    const over = new AbortController();
    const { key: busy } = await service.member('member');
    const crowd = Array.from({ length: 24 }, async () => {
      while (!over.signal.aborted) await me(busy);
    });
    onTestFinished(async () => {
      over.abort();
      await Promise.all(crowd);
    });
    for (let round = 0; round < 12; round++) {
      const { key, keyId } = await service.member('member');
      await Promise.all([me(key), me(key), me(key)]);
      const client = await service.database.connect();
      await client.query('update api_keys set revoked_at = now() where id = $1', [keyId]);
      await client.end();
      expect((await service.get('/me', { key })).status).toBe(401);
    }
  });

  test('in a project are those of the keys that may see it', async () => {
    const project = await service.defaultProject();
    const stranger = await service.stranger();
    const path = `/projects/${project}/servers`;
    const asked = Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? service.key : stranger.key));
    const { bodies } = await askTogether(asked, path);
    expect(bodies.map((body) => /"items"|"NOT_FOUND"/.exec(body)?.[0])).toEqual(
      asked.map((_, n) => (n % 2 === 0 ? '"items"' : '"NOT_FOUND"')),
    );
  });
});

test('a start reads no more files and bytes of the program than its budget', async () => {
  const database = await createDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'drydock-budget-'));
  onTestFinished(async () => {
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });
  const drydock = new Drydock(['serve', '--no-worker'], {
    DRYDOCK_DATABASE_URL: database.url,
    DRYDOCK_DATA_DIR: folder,
    DRYDOCK_PORT: '0',
    // Node writes down what it has loaded.
    NODE_V8_COVERAGE: join(folder, 'loaded'),
  });
  await drydock.ready();
  await drydock.end();
  const [file = ''] = await readdir(join(folder, 'loaded'));
  const { result } = JSON.parse(await readFile(join(folder, 'loaded', file), 'utf8')) as {
    result: { url: string }[];
  };
  const loaded = new Set(result.map(({ url }) => url).filter((url) => url.includes('/dist/program/')));
  const sizes = await Promise.all([...loaded].map(async (url) => (await stat(fileURLToPath(url))).size));
  const megabytes = sizes.reduce((sum, size) => sum + size, 0) / 1e6;
  expect(loaded.size).toBeLessThanOrEqual(budgets.start.files);
  expect(megabytes).toBeLessThanOrEqual(budgets.start.megabytes);
  expect(megabytes).toBeGreaterThan(budgets.start.megabytes * 0.8);
});
