import { Agent, request } from 'node:http';

export interface Call {
  name: string;
  method: string;
  path: string;
  body?: () => object;
}

/** Milliseconds that each call took, by its name. */
export type Times = Map<string, number[]>;

/** Makes the calls in turn, one after the other over one connection, for so many milliseconds. */
export async function callFor(ms: number, base: string, key: string, calls: readonly Call[]): Promise<Times> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times: Times = new Map(calls.map(({ name }) => [name, []]));
  const ends = performance.now() + ms;
  try {
    while (performance.now() < ends)
      for (const call of calls) times.get(call.name)?.push(await ask(base, key, call, agent));
  } finally {
    agent.destroy();
  }
  return times;
}

export function quantile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * share)] as number;
}

function ask(base: string, key: string, { method, path, body, name }: Call, agent: Agent): Promise<number> {
  const text = body && JSON.stringify(body());
  const headers = {
    authorization: `Bearer ${key}`,
    ...(text !== undefined && {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    }),
  };
  const began = performance.now();
  return new Promise((resolve, reject) => {
    request(`${base}${path}`, { method, agent, headers }, (response) => {
      response.resume().on('end', () => {
        if (response.statusCode === 200) resolve(performance.now() - began);
        else reject(new Error(`${name} was answered with ${response.statusCode}`));
      });
    })
      .on('error', reject)
      .end(text);
  });
}
