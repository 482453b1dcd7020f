import { Agent, request } from 'node:http';

export interface Watch {
  /** Milliseconds that each request of the bystander took. */
  times: number[];
  p95: number;
  p99: number;
  longest: number;
}

/** Asks again and again, one request at a time, while `work` goes on. Somebody else's request, over a connection of its own. */
export async function watchWhile(url: string, key: string, work: Promise<unknown>): Promise<Watch> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times: number[] = [];
  const state = { over: false };
  const done = work.finally(() => (state.over = true));
  while (!state.over || times.length < 20) times.push(await ask(url, key, agent));
  await done;
  agent.destroy();
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] as number;
  return { times, p95: at(0.95), p99: at(0.99), longest: at(1) };
}

function ask(url: string, key: string, agent: Agent): Promise<number> {
  const started = performance.now();
  return new Promise((resolve, reject) => {
    request(url, { agent, headers: { authorization: `Bearer ${key}` } }, (response) => {
      response.resume().on('end', () => {
        if (response.statusCode === 200) resolve(performance.now() - started);
        else reject(new Error(`The bystander was answered with ${response.statusCode}`));
      });
    })
      .on('error', reject)
      .end();
  });
}
