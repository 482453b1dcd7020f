import { expect, test } from 'vitest';
import { watchWhile } from './support/bystander.ts';
import { proberFile } from './support/prober.ts';
import { place } from './support/process.ts';
import { everythingStdio } from './targets/processes.ts';

const root = process.getuid?.() === 0;

/** Each exhausts one resource for three seconds and returns how much it got. */
const hogs: Record<string, string> = {
  // The processes end by themselves, even without a limit.
  processes: `const { spawn } = require('child_process'); let count = 0;
    const more = () => new Promise((resolve) => spawn('timeout', ['3', 'sh', '-c', 'while :; do :; done'], { stdio: 'ignore' })
      .on('spawn', () => resolve(true)).on('error', () => resolve(false)));
    (async () => { while (count < 400 && await more()) count++; await new Promise((r) => setTimeout(r, 3000)); return count })()`,
  memory: `(async () => { const held = []; const ends = Date.now() + 3000;
    while (Date.now() < ends) { try { held.push(Buffer.alloc(16777216, 1)) } catch { held.length = 0 } await new Promise(setImmediate) }
    return held.length })()`,
  files: `(async () => { const fs = require('fs'); const open = []; const ends = Date.now() + 3000;
    while (Date.now() < ends) { try { open.push(fs.openSync('/dev/null')) } catch { await new Promise(setImmediate) } }
    return open.length })()`,
};

/** Compares calls to another server beside a command that exhausts a resource and beside an idle one. */
test('what a command takes, others do not miss', async () => {
  const home = await place();
  const drydock = await home.serve({
    DRYDOCK_COMMAND_PROCESSES: '128',
    DRYDOCK_COMMAND_MEMORY: '768',
    ...(root && { DRYDOCK_COMMAND_USER: 'nobody' }),
  });
  const headers = { authorization: `Bearer ${drydock.key}`, 'content-type': 'application/json' };
  const api = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
    const answer = await fetch(`${drydock.baseUrl}${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    return (await answer.json()) as Record<string, unknown>;
  };
  const { items } = (await api('GET', '/projects')) as { items: { id: string }[] };
  const servers = `/projects/${items[0]?.id}/servers`;
  const save = async (name: string, fields: object): Promise<string> =>
    `${servers}/${String((await api('POST', servers, { name, ...fields }))['id'])}`;
  const other = await save('other', everythingStdio());
  const hog = await save('hog', { command: process.execPath, args: [proberFile], timeout: 60_000 });
  const call = (server: string, toolName: string, parameters: object) =>
    api('POST', `${server}/tools/call`, { toolName, parameters });
  const watch = async (work: Promise<unknown>): Promise<{ me: number; calls: number[] }> => {
    const calls: number[] = [];
    const state = { over: false };
    void work.finally(() => (state.over = true));
    const calling = (async () => {
      while (!state.over) {
        const started = performance.now();
        expect(await call(other, 'echo', { message: 'x' })).toHaveProperty('content');
        calls.push(performance.now() - started);
      }
    })();
    const { p99 } = await watchWhile(`${drydock.baseUrl}/me`, drydock.key as string, work);
    await calling;
    return { me: p99, calls: calls.toSorted((a, b) => a - b) };
  };
  const p99 = (sorted: number[]): number => sorted[Math.floor((sorted.length - 1) * 0.99)] as number;
  await call(other, 'echo', { message: 'x' });
  for (const [name, code] of Object.entries(hogs)) {
    const idle = await watch(call(hog, 'evaluate', { code: 'new Promise((r) => setTimeout(r, 3000))' }));
    const work = call(hog, 'evaluate', { code });
    const busy = await watch(work);
    const got = JSON.stringify(await work).slice(0, 120);
    process.stdout.write(
      `${name}: p99 of /me ${idle.me.toFixed(1)} -> ${busy.me.toFixed(1)} ms, of a call ${p99(idle.calls).toFixed(1)} -> ${p99(busy.calls).toFixed(1)} ms; ${got}\n`,
    );
    expect(busy.me).toBeLessThan(Math.max(500, idle.me * 5));
  }
});
