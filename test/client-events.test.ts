import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { eachEvent } from '../src/surfaces/client/events.ts';
import { type Client, createClient, DrydockError } from '../src/surfaces/client/index.ts';
import { answer, drop, type Fate, gathered, type Unreliable, unreliable } from './support/unreliable.ts';

/** Sends the events after Last-Event-ID, up to `upTo`, and then calls `then`. */
function events(upTo: number, then: (response: ServerResponse) => void): Fate {
  return (_, response, { headers }) => {
    const from = Number(headers['last-event-id'] ?? -1) + 1;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': connected\nretry: 5\n\n');
    for (let n = from; n < upTo; n++) response.write(`id: ${n}\ndata: {"n":${n}}\n\n`);
    // This callback runs once the events above are flushed.
    response.write('', () => then(response));
  };
}
const end = (response: ServerResponse): void => void response.end();
const cut = (response: ServerResponse): void => void setTimeout(() => response.socket?.destroy(), 30);
const stay = (): void => {};

async function watching(...fates: [Fate, ...Fate[]]): Promise<{ server: Unreliable; client: Client }> {
  const server = await unreliable(...fates);
  return { server, client: createClient({ baseUrl: server.url, apiKey: 'sk_' }) };
}

const run = { projectId: 'p', runId: 'r' };
const resumedFrom = ({ seen }: Unreliable) => seen.map(({ headers }) => headers['last-event-id']);

test('a stream that breaks off, is refused or ends too early goes on after the last event, and none is lost or doubled', async () => {
  const { server, client } = await watching(
    events(2, cut),
    answer(503, 'no', {}),
    drop,
    events(3, end),
    events(3, cut),
    events(5, end),
    events(5, end),
  );
  const seen = await gathered(client.watchEvalRun(run));
  expect(seen).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }]);
  expect(resumedFrom(server)).toEqual([undefined, '1', '1', '1', '2', '2', '4']);
});

test('one that keeps breaking off without a word is given up', async () => {
  const { server, client } = await watching(events(1, cut), events(0, cut));
  const seen: unknown[] = [];
  const walk = async () => {
    for await (const event of client.watchEvalRun(run)) seen.push(event);
  };
  await expect(walk()).rejects.toThrow(TypeError);
  expect(seen).toEqual([{ n: 0 }]);
  expect(server.seen).toHaveLength(6);
});

test('a refusal and an answer that is no stream are errors', async () => {
  for (const fate of [
    answer(404, { code: 'NOT_FOUND', message: 'No such run' }),
    answer(200, '<html>', { 'content-type': 'text/html' }),
  ]) {
    const { client } = await watching(fate);
    await expect(client.watchEvalRun(run).next()).rejects.toBeInstanceOf(DrydockError);
  }
});

test('leaving the loop hangs up, and so does giving up, at once', async () => {
  const gone: Promise<unknown>[] = [];
  const open: Fate = (request, response, seen) => {
    gone.push(once(response, 'close'));
    return events(1, stay)(request, response, seen);
  };
  const { client } = await watching(open);
  for await (const _ of client.watchEvalRun(run)) break;
  await gone[0];
  const stop = new AbortController();
  const walk = async () => {
    for await (const _ of client.watchEvalRun(run, { signal: stop.signal }))
      setTimeout(() => stop.abort(), 20);
  };
  await expect(walk()).rejects.toMatchObject({ name: 'AbortError' });
  await gone[1];
});

test('a connection without a sign of life counts as broken', async () => {
  const server = await unreliable(events(1, stay), events(2, end), events(2, end));
  const connect = (last: string | undefined, { signal }: { signal: AbortSignal }) =>
    fetch(server.url, { signal, headers: last === undefined ? {} : { 'last-event-id': last } });
  const seen = await gathered(eachEvent({ connect, signal: undefined, retries: 5, silence: 100 }));
  expect(seen).toEqual([{ n: 0 }, { n: 1 }]);
  expect(resumedFrom(server)).toEqual([undefined, '0', '1']);
});
