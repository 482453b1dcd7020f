// @module-tag long
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startEngine, statusOf } from '../../test/support/browser-engine.ts';
import { chromiumPath } from '../../test/support/chromium.ts';
import { pages, serveWeb } from '../../test/support/web.ts';
import { runsAsRoot } from '../platform/accounts.ts';
import { createLog } from '../platform/log.ts';
import { memoryOf } from './memory.ts';

const allowAll = { policy: { mode: 'allow_all' } } as const;

/** A process and its descendants. */
function treeOf(root: number): number[] {
  const parents = readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0)
    .map((pid) => [pid, Number(statusOf(pid, 'PPid'))] as const);
  const below = (pid: number): number[] => [
    pid,
    ...parents.filter(([, parent]) => parent === pid).flatMap(([child]) => below(child)),
  ];
  return below(root);
}

function commandOf(pid: number): string {
  return isGone(pid) ? '' : readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
}

/** A zombie, dead but not yet reaped by its parent, counts as gone. */
const isGone = (pid: number): boolean => (statusOf(pid, 'State') ?? 'Z').startsWith('Z');

test('a browser runs as nobody, in its sandbox, over a pipe, and leaves nothing behind', {
  tags: ['chromium'],
}, async () => {
  const engine = startEngine();
  expect(engine.pids).toEqual([]);
  await engine.open(allowAll);
  const [pid = 0] = engine.pids;
  const tree = treeOf(pid);
  const renderer = tree.find((one) => commandOf(one).includes('--type=renderer')) as number;
  expect(commandOf(pid)).toContain('--remote-debugging-pipe');
  expect(commandOf(pid)).not.toContain('--no-sandbox');
  // System calls are filtered, and gaining privileges is disabled.
  expect([statusOf(renderer, 'Seccomp'), statusOf(renderer, 'NoNewPrivs')]).toEqual(['2', '1']);
  const roots = tree.filter((one) => statusOf(one, 'Uid')?.startsWith('0\t'));
  expect(roots.map(commandOf)).toEqual([]);
  expect(await memoryOf(pid)).toBeGreaterThan(20_000_000);
  const profile = /--user-data-dir=(\/\S*drydock-browser-\S+)/.exec(commandOf(pid))?.[1] as string;
  expect(existsSync(profile)).toBe(true);
  await engine.close();
  await expect.poll(() => tree.filter((one) => !isGone(one))).toEqual([]);
  expect(existsSync(profile)).toBe(false);
  await expect(engine.open(allowAll)).rejects.toMatchObject({ kind: 'closed' });
});

test('a page that crashes costs its tab, a browser that crashes its sessions', {
  tags: ['chromium'],
}, async () => {
  const web = await serveWeb(pages({ '/': '<title>Here</title>' }));
  const engine = startEngine();
  const session = await engine.open(allowAll);
  const other = await engine.open(allowAll);
  const go = { op: 'navigate', url: web.origin } as const;
  await session.perform(go);
  const [pid = 0] = engine.pids;
  const renderers = treeOf(pid).filter((one) => commandOf(one).includes('--type=renderer'));
  for (const renderer of renderers) process.kill(renderer, 'SIGKILL');
  await expect
    .poll(async () => (await session.perform({ op: 'observe', mode: 'console' })).tabId)
    .not.toBe('t1');
  expect(await session.perform(go)).toMatchObject({ result: 'executed', title: 'Here' });

  process.kill(pid, 'SIGKILL');
  expect(await Promise.all([session.ended, other.ended])).toMatchObject([
    { reason: 'crashed' },
    { reason: 'crashed' },
  ]);
  await expect(session.perform(go)).rejects.toMatchObject({ kind: 'crashed' });
  const next = await engine.open(allowAll);
  expect(await next.perform(go)).toMatchObject({ title: 'Here' });
  expect(engine.pids).not.toContain(pid);
});

test('a session that was opened for nobody obeys whoever gets it, and knows nothing of those before', {
  tags: ['chromium'],
}, async () => {
  const script = "document.title = document.cookie || 'nothing'; document.cookie = 'mine=1'";
  const web = await serveWeb(pages({ '/': `<button id="b">Press</button><script>${script}</script>` }));
  const engine = startEngine({ sessions: 1 });
  const go = { op: 'navigate', url: web.origin } as const;
  const press = { op: 'act', verb: 'click', target: { selector: '#b' } } as const;
  const expected = [
    ['allow_all', 'executed', 'nothing', 'executed'],
    ['read_only', 'executed', 'nothing', 'refused'],
    ['allow_all', 'executed', 'nothing', 'executed'],
    ['allowlist', 'refused', '', 'refused'],
  ] as const;
  for (const [mode, ...outcome] of expected) {
    const session = await engine.open({ policy: { mode } });
    const { result, title } = await session.perform(go);
    expect([mode, result, title, (await session.perform(press)).result]).toEqual([mode, ...outcome]);
    await session.close();
    // The next warm session is being prepared or ready.
    const renderers = () =>
      treeOf(engine.pids[0] ?? 0).filter((one) => commandOf(one).includes('--type=renderer'));
    await expect.poll(() => renderers().length).toBeGreaterThan(0);
  }
});

test('sessions are bounded, and one that is closed makes room', { tags: ['chromium'] }, async () => {
  const engine = startEngine({ sessions: 2 });
  const [first] = await Promise.all([engine.open(allowAll), engine.open(allowAll)]);
  expect(engine.pids).toHaveLength(1);
  await expect(engine.open(allowAll)).rejects.toMatchObject({ kind: 'capacity' });
  first?.leave();
  await (await engine.open(allowAll)).close();
  await first?.close();
  expect(await first?.ended).toMatchObject({ reason: 'closed' });
  await expect(first?.perform({ op: 'reload' })).rejects.toMatchObject({ kind: 'closed' });
  const again = await engine.open(allowAll);
  await engine.close();
  expect(await again.ended).toMatchObject({ reason: 'stopped' });
});

test('a browser is replaced after some sessions, when the last of them is gone', {
  tags: ['chromium'],
}, async () => {
  const engine = startEngine({ recycleAfter: 2 });
  const first = await engine.open(allowAll);
  const second = await engine.open(allowAll);
  const [pid = 0] = engine.pids;
  const third = await engine.open(allowAll);
  expect(engine.pids).toHaveLength(2);
  await Promise.all([first.close(), second.close()]);
  await expect.poll(() => isGone(pid)).toBe(true);
  expect(engine.pids).not.toContain(pid);
  expect(await third.perform({ op: 'observe', mode: 'url' })).toMatchObject({ result: 'executed' });
});

test('a browser elsewhere is used when its pages cannot go around the guard', {
  tags: ['chromium'],
}, async () => {
  const web = await serveWeb(pages({ '/': '<title>Here</title>' }));
  const careless = startEngine({ browser: await runElsewhere([]) });
  await expect(careless.open(allowAll)).rejects.toThrow('must be started with --enable-automation and');
  const switches = ['--enable-automation', '--webrtc-ip-handling-policy=disable_non_proxied_udp'];
  const engine = startEngine({ browser: await runElsewhere(switches) });
  const session = await engine.open(allowAll);
  expect(await session.perform({ op: 'navigate', url: web.origin })).toMatchObject({ title: 'Here' });
  expect(await session.perform({ op: 'navigate', url: 'http://127.0.0.2:8099/' })).toMatchObject({
    reason: expect.stringContaining('127.0.0.2 is a loopback address'),
  });
});

test('a service that is killed leaves no browser behind', { tags: ['chromium'] }, async () => {
  // Includes the video encoder, which is a process too.
  const ffmpeg = dirname(await fakeProgram('ffmpeg', 'for last; do :; done; exec cat > "$last"'));
  const holder = spawn(process.execPath, ['--import', 'tsx', 'test/support/hold-browser.ts'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, PATH: `${process.env['PATH']}${delimiter}${ffmpeg}` },
  });
  onTestFinished(() => void holder.kill('SIGKILL'));
  const [said] = (await once(holder.stdout, 'data')) as [Buffer];
  const [pid = 0] = JSON.parse(said.toString()) as number[];
  const findTree = (): number[] => treeOf(holder.pid as number);
  await expect.poll(() => findTree().map(commandOf)).toContainEqual(expect.stringMatching(/^cat /));
  const tree = findTree();
  expect(tree).toContain(pid);
  const unused = /--user-data-dir=(\S*playwright_\S+)/.exec(commandOf(pid))?.[1] as string;
  holder.kill('SIGKILL');
  await expect.poll(() => tree.filter((one) => !isGone(one)), { timeout: 20_000 }).toEqual([]);
  const left = (): string[] =>
    readdirSync(tmpdir()).filter((name) => name.startsWith(`drydock-browser-${holder.pid}-`));
  expect([existsSync(unused), left().length > 0]).toEqual([false, true]);
  // The next browser removes leftover folders.
  await startEngine().open(allowAll);
  expect(left()).toEqual([]);
});

test('no browser, one that is not there, and one that does not start are said to be off', {
  tags: ['chromium'],
}, async () => {
  await expect(startEngine({ browser: 'off' }).open(allowAll)).rejects.toMatchObject({ kind: 'off' });
  await expect(startEngine({ browser: '/nowhere/chromium' }).open(allowAll)).rejects.toThrow(
    'There is no browser at /nowhere/chromium',
  );
  const broken = startEngine({ browser: await fakeBrowser('echo "error: no luck" >&2; exit 1') });
  await expect(broken.open(allowAll)).rejects.toMatchObject({ kind: 'off' });
  const nobody = startEngine({ browser: 'http://127.0.0.1:1' });
  await expect(nobody.open(allowAll)).rejects.toThrow('cannot be reached: ECONNREFUSED');
});

test('where no sandbox can be, the browser runs without one as another user, and the log says so', {
  tags: ['chromium'],
}, async ({ skip }) => {
  skip(!runsAsRoot(), 'Only root can become another user');
  const refusesSandbox = `case "$*" in *--no-sandbox*) exec ${chromiumPath} "$@";; esac
      echo '[FATAL:zygote_host_impl_linux.cc] No usable sandbox!' >&2; exit 1`;
  const lines: string[] = [];
  const log = createLog('warn', { write: (line) => void lines.push(line) });
  const engine = startEngine({ browser: await fakeBrowser(refusesSandbox), log });
  await engine.open(allowAll);
  expect(lines.join()).toContain('without its sandbox');
  const [pid = 0] = engine.pids;
  expect(statusOf(pid, 'Uid')?.split('\t')[0]).not.toBe('0');
});

/** Starts a Chromium independently of the engine and returns its URL. */
async function runElsewhere(switches: string[]): Promise<string> {
  const profile = await mkdtemp(join(tmpdir(), 'drydock-elsewhere-'));
  const quiet = ['--headless', '--no-sandbox', '--disable-gpu', '--proxy-server=127.0.0.1:1'];
  const args = [...quiet, '--remote-debugging-port=0', `--user-data-dir=${profile}`, ...switches];
  // A process group of its own, because Chromium may be started by a script.
  const browser = spawn(chromiumPath, args, { stdio: ['ignore', 'ignore', 'pipe'], detached: true });
  onTestFinished(async () => {
    process.kill(-(browser.pid as number), 'SIGKILL');
    await once(browser, 'exit');
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  });
  for await (const said of browser.stderr.setEncoding('utf8')) {
    const address = /ws:\/\/\S+/.exec(String(said))?.[0];
    if (address !== undefined) return address;
  }
  throw new Error('It does not listen');
}

const fakeBrowser = (script: string): Promise<string> => fakeProgram('chromium', script);

/** Creates a folder with an executable script of this name. */
async function fakeProgram(name: string, script: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'drydock-fake-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await chmod(folder, 0o755);
  const path = join(folder, name);
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}
