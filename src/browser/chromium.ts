import { existsSync } from 'node:fs';
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  realpath,
  rm,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { browserAccount, runsAsRoot } from '../platform/accounts.ts';
import type { Log } from '../platform/log.ts';
import { BrowserFailure } from './failure.ts';
import { loadPlaywright } from './playwright.ts';

/**
 * Where browsers are, and what a launcher script there starts: scripts add switches and keys of their own, and a process
 * in between. The one without windows comes first, since it needs a third less.
 */
const usualPlaces: Record<string, string | undefined> = {
  '/usr/bin/chromium-headless-shell': '/usr/lib/chromium/chromium-headless-shell',
  '/usr/bin/chromium': '/usr/lib/chromium/chromium',
  '/usr/bin/chromium-browser': '/usr/lib/chromium-browser/chromium-browser',
  '/usr/bin/google-chrome': '/opt/google/chrome/chrome',
  '/usr/bin/google-chrome-stable': '/opt/google/chrome/chrome',
  '/opt/google/chrome/chrome': undefined,
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome': undefined,
  '/Applications/Chromium.app/Contents/MacOS/Chromium': undefined,
};

/** Milliseconds for a browser to start, on a machine that is busy. */
const startTimeout = 60_000;

/** Milliseconds for it to end by itself. */
const endTimeout = 5_000;

/** The Chromium of this machine, if it has one. */
export function findChromium(): string | undefined {
  return Object.keys(usualPlaces).find((path) => existsSync(path));
}

export interface LaunchOptions {
  path: string;
  /** The proxy for whatever no session asked for. */
  proxy: string;
  log: Log;
  switches?: readonly string[] | undefined;
}

export interface LaunchedChromium {
  browser: Browser;
  pid: number;
  /** Ends the process, all it started, and what it wrote. */
  end(): Promise<void>;
}

/**
 * Starts a Chromium over a pipe, in its own sandbox, with a profile of its own. As root it runs as a user of its own: its
 * sandbox refuses to work for root, and no page should be one step from it, nor from the database.
 */
export async function launchChromium({
  path,
  proxy,
  log,
  switches = [],
}: LaunchOptions): Promise<LaunchedChromium> {
  const binary = await binaryOf(path);
  const user = unprivileged();
  const folder = await makeFolder(user);
  const pidFile = join(folder, 'pid');
  const starter = join(folder, 'start');
  const profile = join(folder, 'profile');
  const filter = filterCommand();
  const command = [...filter, pidFile, profile, ...(user?.drop ?? []), binary];
  await writeFile(
    starter,
    `#!/bin/sh\nexec ${command.map(quoted).join(' ')} "$@" --user-data-dir=${quoted(profile)}\n`,
  );
  await chmod(starter, 0o755);
  const start = (sandbox: boolean): Promise<Browser> =>
    startOnce({ starter, artifacts: join(folder, 'artifacts'), proxy, sandbox, switches });
  try {
    const browser = await start(true).catch((error: unknown) => {
      if (!lacksSandbox(error)) throw error;
      if (!user)
        throw new BrowserFailure(
          'off',
          'The browser cannot start its sandbox here: this system allows no user namespaces to the user of the service. Allow them, or run the service as root, which starts the browser as another user',
        );
      log.warn(
        'The browser runs without its sandbox, since this system allows no user namespaces; what keeps pages away from the service is that it runs as another user',
        { user: user.name },
      );
      return start(false);
    });
    const pid = Number(await readFile(pidFile, 'utf8'));
    return {
      browser,
      pid,
      end: async () => {
        const killing = setTimeout(() => kill(pid), endTimeout);
        await browser.close().catch(() => {});
        clearTimeout(killing);
        await rm(folder, { recursive: true, force: true, maxRetries: 5 });
      },
    };
  } catch (error) {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    if (error instanceof BrowserFailure) throw error;
    throw new BrowserFailure('off', `The browser ${path} does not start: ${firstLines(error)}`);
  }
}

interface Start {
  starter: string;
  /** Folder for what the library writes. */
  artifacts: string;
  proxy: string;
  sandbox: boolean;
  switches: readonly string[];
}

async function startOnce({ starter, artifacts, proxy, sandbox, switches }: Start): Promise<Browser> {
  const { chromium } = await loadPlaywright();
  return chromium.launch({
    executablePath: starter,
    artifactsDir: artifacts,
    chromiumSandbox: sandbox,
    headless: true,
    // Pages that navigate in a loop are slowed down.
    ignoreDefaultArgs: ['--disable-ipc-flooding-protection'],
    proxy: { server: proxy },
    timeout: startTimeout,
    // The service decides when it ends, and ends the browser then.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LANG: 'C.UTF-8' },
    args: [
      '--no-first-run',
      '--disable-gpu',
      '--disable-quic',
      '--webrtc-ip-handling-policy=disable_non_proxied_udp',
      '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
      // No name is looked up by the browser; the proxy is an address.
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
      '--disable-sync',
      '--disable-domain-reliability',
      '--no-pings',
      // One page cannot take all memory, nor hold a text that fills the service.
      '--js-flags=--max-old-space-size=512',
      ...switches,
    ],
  });
}

/** A launcher script is replaced by what it launches. */
async function binaryOf(path: string): Promise<string> {
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined)
    throw new BrowserFailure(
      'off',
      `There is no browser at ${path}; set DRYDOCK_BROWSER to the path of a Chromium`,
    );
  const started = usualPlaces[path];
  return started !== undefined && existsSync(started) && (await isScript(real)) ? started : real;
}

async function isScript(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return buffer.toString() === '#!';
  } finally {
    await file.close();
  }
}

interface Unprivileged {
  uid: number;
  gid: number;
  name: string;
  /** Words before the command that make it run as this user, without a way back. */
  drop: string[];
}

/** Undefined when the service is no root itself. */
function unprivileged(): Unprivileged | undefined {
  if (!runsAsRoot()) return undefined;
  const setpriv = (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'setpriv'))
    .find((file) => existsSync(file));
  if (setpriv === undefined)
    throw new BrowserFailure(
      'off',
      'The service runs as root, and a browser never does: that takes the command setpriv (util-linux). Or run the service as another user',
    );
  const { uid, gid, name } = browserAccount();
  const drop = [
    setpriv,
    `--reuid=${uid}`,
    `--regid=${gid}`,
    '--clear-groups',
    '--bounding-set=-all',
    '--inh-caps=-all',
    '--no-new-privs',
    '--',
  ];
  return { uid, gid, name, drop };
}

/** One folder for each browser; those of services that were killed go with the next start. */
async function makeFolder(user: Unprivileged | undefined): Promise<string> {
  await removeLeftovers();
  const folder = await mkdtemp(join(tmpdir(), `${folderPrefix}${process.pid}-`));
  const profile = join(folder, 'profile');
  await mkdir(profile, { mode: 0o700 });
  await mkdir(join(folder, 'artifacts'), { mode: 0o700 });
  if (user) {
    await chmod(folder, 0o711);
    await chown(profile, user.uid, user.gid);
  }
  return folder;
}

const folderPrefix = 'drydock-browser-';

async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = new RegExp(`^${folderPrefix}(\\d+)-`).exec(name)?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    // Of another user, perhaps.
    await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => {});
  }
}

/** With it goes all that it started. */
function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is gone already.
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The program in between. From the sources it needs the loader that tests and `npm run dev` have. */
function filterCommand(): string[] {
  const fromSources = import.meta.url.endsWith('.ts');
  const file = fileURLToPath(new URL(fromSources ? './pipe-filter.ts' : './pipe-filter.js', import.meta.url));
  return fromSources
    ? [process.execPath, '--import', import.meta.resolve('tsx'), file]
    : [process.execPath, file];
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

function lacksSandbox(error: unknown): boolean {
  return /no usable sandbox|sandbox_host_linux|zygote_host_impl_linux|user namespaces?|setuid sandbox/i.test(
    String(error),
  );
}

/** Without the list of all switches. */
function firstLines(error: unknown): string {
  const lines = String(error instanceof Error ? error.message : error).split('\n');
  const telling = lines.filter(
    (line) => /error|fatal|denied|not |cannot/i.test(line) && !line.includes('--disable'),
  );
  return telling.slice(0, 3).join(' ').slice(0, 500) || 'it said nothing';
}
