// @module-tag long
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { type Drydock, databasePid, place } from './support/process.ts';

const several = { DRYDOCK_PROCESSES: '2', DRYDOCK_LOG_LEVEL: 'error' };

/** The processes of the service, except the supervisor. */
function membersOf({ child }: Drydock): number[] {
  const children = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(child.pid)], {
    encoding: 'utf8',
  });
  return children
    .split('\n')
    .flatMap((line) => (line.includes('__serve-member') ? [parseInt(line, 10)] : []));
}

/** Ids of requests begin with an id of their process. */
async function processesThatAnswer(drydock: Drydock): Promise<Set<string>> {
  const ids = new Set<string>();
  for (let n = 0; n < 8; n++) {
    const response = await fetch(`${drydock.baseUrl}/me`, {
      headers: { authorization: `Bearer ${drydock.key}`, connection: 'close' },
    });
    expect(response.status).toBe(200);
    ids.add(response.headers.get('x-request-id')?.slice(0, -1) as string);
  }
  return ids;
}

test('several processes share the port, the database and the token of commands, and one that dies is replaced', async () => {
  const here = await place();
  const drydock = await here.serve(several);
  expect((await processesThatAnswer(drydock)).size).toBe(2);
  const listed = await Promise.all([1, 2, 3, 4].map(() => here.run(['projects', 'list', '--json'])));
  expect(listed.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  const before = membersOf(drydock);
  expect(before).toHaveLength(2);

  const run = here.run(['evals', 'run', 'demo', '--wait', '--iterations', '3']);
  process.kill(before[0] as number, 'SIGKILL');
  await expect.poll(() => membersOf(drydock).filter((pid) => !before.includes(pid))).toHaveLength(1);
  await expect.poll(async () => (await processesThatAnswer(drydock)).size).toBe(2);
  expect(drydock.stderr + drydock.stdout).toContain('A process of the service ended; starting another');
  expect((await run).stdout).toContain('5 of 6 cases passed');
});

test('without its supervisor a process ends, and the next start adopts the database', async () => {
  const here = await place();
  const drydock = await here.serve(several);
  const members = membersOf(drydock);
  await drydock.end('SIGKILL');
  for (const pid of members) await expect.poll(() => isAlive(pid)).toBe(false);
  const next = await here.serve(several);
  await next.end();
  expect(await databasePid(here.dataDir)).toBeUndefined();
});

test('a port that is taken is refused as with one process, and nothing is left running', async () => {
  const here = await place();
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as { port: number };
  const { code, stderr } = await here.run(['serve'], { ...several, DRYDOCK_PORT: String(port) });
  expect(stderr).toContain(`Port ${port} is taken on 127.0.0.1. Set DRYDOCK_PORT`);
  expect(code).toBe(2);
  expect(await databasePid(here.dataDir)).toBeUndefined();
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
