// @module-tag long
import { expect, test } from 'vitest';
import { type Drydock, databasePid, endDatabase, place } from './support/process.ts';

const rounds = Number(process.env['DRYDOCK_TEST_KILL_ROUNDS'] ?? 3);

/** Writes until the service is gone; remembers every name that was acknowledged. */
async function write(service: Drydock, key: string, round: number, acknowledged: Set<string>): Promise<void> {
  for (let n = 0; ; n++) {
    const name = `r${round}-${n}`;
    try {
      const response = await fetch(`${service.baseUrl}/projects`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name }),
      });
      await response.arrayBuffer();
      if (response.status === 201) acknowledged.add(name);
    } catch {
      return;
    }
  }
}

async function namesIn(service: Drydock, key: string): Promise<string[]> {
  const names: string[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const url: string = `${service.baseUrl}/projects${cursor && `?cursor=${cursor}`}`;
    const page = (await (await fetch(url, { headers: { authorization: `Bearer ${key}` } })).json()) as {
      items: { name: string }[];
      nextCursor?: string;
    };
    names.push(...page.items.map(({ name }) => name));
    cursor = page.nextCursor;
  }
  return names;
}

test(`${rounds} kills at random moments lose no acknowledged write, and each restart needs no hand`, {
  timeout: 240_000 + rounds * 12_000,
}, async () => {
  const here = await place();
  const key = `sk_${'kill'.repeat(10)}`;
  const acknowledged = new Set<string>();
  for (let round = 0; round < rounds; round++) {
    const service = await here.serve({ DRYDOCK_BOOTSTRAP_KEY: key });
    const before = acknowledged.size;
    const writers = [0, 1, 2].map((lane) => write(service, key, round * 10 + lane, acknowledged));
    await expect.poll(() => acknowledged.size, { timeout: 30_000 }).toBeGreaterThan(before + 1);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 300));
    // The service, its database, or both in either order.
    const victims = [['service'], ['database', 'service'], ['service', 'database']][round % 3] as string[];
    for (const victim of victims) {
      if (victim === 'service') await service.end('SIGKILL');
      else await endDatabase(here.dataDir, 'SIGKILL');
    }
    await service.end('SIGKILL');
    await Promise.all(writers);
  }
  const service = await here.serve();
  const found = await namesIn(service, key);
  expect(new Set(found).size).toBe(found.length);
  const lost = [...acknowledged].filter((name) => !found.includes(name));
  expect(lost).toEqual([]);
  expect(await service.end()).toMatchObject({ code: 0 });
  expect(await databasePid(here.dataDir)).toBeUndefined();
});
