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
 * Paths of browsers, each with the binary that its launcher script starts: scripts add switches, API keys and a
 * process. The headless shell comes first, because it uses a third less memory.
 */
const defaultPlaces: Record<string, string | undefined> = {
  '/usr/bin/chromium-headless-shell': '/usr/lib/chromium/chromium-headless-shell',
  '/usr/bin/chromium': '/usr/lib/chromium/chromium',
  '/usr/bin/chromium-browser': '/usr/lib/chromium-browser/chromium-browser',
  '/usr/bin/google-chrome': '/opt/google/chrome/chrome',
  '/usr/bin/google-chrome-stable': '/opt/google/chrome/chrome',
  '/opt/google/chrome/chrome': undefined,
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome': undefined,
  '/Applications/Chromium.app/Contents/MacOS/Chromium': undefined,
};

/** Milliseconds to wait for the browser to start; long enough for a busy machine. */
const startTimeout = 60_000;

/** Milliseconds to wait for a clean exit before the browser is killed. */
const endTimeout = 5_000;

/** The first default path at which this machine has a browser. */
export function findChromium(): string | undefined {
  return Object.keys(defaultPlaces).find((path) => existsSync(path));
}

export interface LaunchOptions {
  path: string;
  /** The proxy for requests outside of sessions. */
  proxy: string;
  log: Log;
  switches?: readonly string[] | undefined;
}

export interface LaunchedChromium {
  browser: Browser;
  pid: number;
  /** Ends the process and its descendants, and deletes its files. */
  end(): Promise<void>;
}

/**
 * Starts Chromium with its sandbox and its own profile, controlled over a pipe. If the service runs as root, the
 * browser runs as a dedicated user: the sandbox does not work for root, and pages must not get root privileges or
 * access to the database.
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
          'Chromium cannot start its sandbox because this system does not allow user namespaces. Allow them, or run the service as root so that it starts Chromium as another user',
        );
      log.warn(
        'Chromium runs without its sandbox because this system does not allow user namespaces; only its separate user isolates pages from the service',
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
  /** Folder for files of the library. */
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
    // Keeps the protection against navigation loops.
    ignoreDefaultArgs: ['--disable-ipc-flooding-protection'],
    proxy: { server: proxy },
    timeout: startTimeout,
    // The service handles signals and closes the browser itself.
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
      // The browser resolves no names; the proxy is an IP address.
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
      '--disable-sync',
      '--disable-domain-reliability',
      '--no-pings',
      // Limits the JavaScript heap of a page to 512 MB.
      '--js-flags=--max-old-space-size=512',
      ...switches,
    ],
  });
}

/** Replaces a launcher script by its binary. */
async function binaryOf(path: string): Promise<string> {
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined)
    throw new BrowserFailure(
      'off',
      `There is no browser at ${path}; set DRYDOCK_BROWSER to the path of a Chromium`,
    );
  const started = defaultPlaces[path];
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
  /** Wrapper command that permanently switches to this user. */
  drop: string[];
}

/** The user that the browser runs as. Undefined if the service does not run as root. */
function unprivileged(): Unprivileged | undefined {
  if (!runsAsRoot()) return undefined;
  const setpriv = (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'setpriv'))
    .find((file) => existsSync(file));
  if (setpriv === undefined)
    throw new BrowserFailure(
      'off',
      'Chromium does not run as root. Install setpriv (util-linux), or run the service as another user',
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

/** Creates the folder of one browser, after removing the folders that killed services left. */
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
    // The folder may belong to another user.
    await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => {});
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Already gone.
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

/** The command of the pipe filter. From sources it needs the same loader as tests and `npm run dev`. */
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

/** The first relevant lines of an error, without the list of switches. */
function firstLines(error: unknown): string {
  const lines = String(error instanceof Error ? error.message : error).split('\n');
  const relevant = lines.filter(
    (line) => /error|fatal|denied|not |cannot/i.test(line) && !line.includes('--disable'),
  );
  return relevant.slice(0, 3).join(' ').slice(0, 500) || 'no output';
}
