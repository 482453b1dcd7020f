import { type ChildProcess, spawn } from 'node:child_process';
import { constants, existsSync } from 'node:fs';
import { chown, lstat, mkdir, mkdtemp, open, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Confinement } from '../platform/confinement/confinement.ts';
import { closedDescriptors } from '../platform/confinement/descriptors.ts';

/** The bundled version of the official suite. */
export const suiteVersion = '0.2.0-alpha.12';

/** Maximum bytes of the suite's output, and of the file it writes. */
const maxOutput = 2 * 1024 * 1024;
const maxChecks = 4 * 1024 * 1024;
/** Maximum JavaScript heap in megabytes. */
const maxHeap = 256;

const fromSources = import.meta.url.endsWith('.ts');
const folder = new URL(fromSources ? '../../dist/program/conformance/' : './conformance/', import.meta.url);
const suite = fileURLToPath(new URL('suite/suite.cjs', folder));
const lockdown = fileURLToPath(
  fromSources ? new URL('./lockdown.cjs', import.meta.url) : new URL('lockdown.cjs', folder),
);

/** Whether the suite was built. A checkout needs `npm run build`. */
export function hasSuite(): boolean {
  return existsSync(suite);
}

interface Wanted {
  scenario: string;
  revision: string;
  /** The URL of the gate, the only address that the suite can reach. */
  url: string;
  /** Milliseconds. */
  timeout: number;
  signal: AbortSignal;
  confinement: Confinement;
}

/** Runs a scenario in its own process. Returns its checks, or the problem that prevented them. */
export async function runScenario(wanted: Wanted): Promise<{ checks: unknown } | { problem: string }> {
  wanted.signal.throwIfAborted();
  const work = await mkdtemp(join(tmpdir(), 'drydock-conformance-'));
  try {
    const out = join(work, 'out');
    await mkdir(out);
    const { user } = wanted.confinement;
    // The inner folder first: the owner of the outer one could replace it by a link.
    if (user) for (const folder of [out, work]) await chown(folder, user.uid, user.gid);
    const problem = await ended(await start(wanted, work), wanted);
    if (problem !== undefined) return { problem };
    return await checksIn(out);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/**
 * Starts a process in its own group, so that it ends with all its descendants. The process does not inherit the
 * environment and, with namespaces, sees no files of ours. Network access is needed to reach the gate.
 */
async function start({ scenario, revision, url, confinement }: Wanted, work: string): Promise<ChildProcess> {
  const node = [`--max-old-space-size=${maxHeap}`, '--no-warnings', '--require', lockdown];
  // A full path, because the sandbox cannot start in a folder that only the user of the command may enter.
  const out = ['--output-dir', join(work, 'out')];
  const options = ['--url', url, '--scenario', scenario, '--spec-version', revision, ...out];
  const { command, args, env, account } = await confinement.launch(
    {
      command: process.execPath,
      args: [...node, suite, 'server', ...options],
      env: { PATH: process.env['PATH'] ?? '', TMPDIR: work },
    },
    { confinedTo: [work], network: 'shared' },
  );
  return spawn(command, args, {
    cwd: work,
    detached: true,
    env,
    stdio: ['ignore', 'pipe', 'pipe', ...closedDescriptors()],
    ...(account && { uid: account.uid, gid: account.gid }),
  });
}

/**
 * Waits for the process to exit, and kills it if it takes too long or prints too much: then returns the reason. Throws
 * if the process cannot start or `signal` aborts.
 */
function ended(child: ChildProcess, { timeout, signal }: Wanted): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    let problem: string | undefined;
    let printed = 0;
    const stop = (why: string): void => {
      problem ??= why;
      killGroup(child);
    };
    const timer = setTimeout(() => stop(`Timed out after ${Math.round(timeout / 1000)} s`), timeout);
    const abort = (): void => stop('Stopped');
    signal.addEventListener('abort', abort, { once: true });
    const over = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    };
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => {
        printed += chunk.length;
        if (printed > maxOutput) stop('The suite printed more than 2 MiB');
      });
    child.once('error', (error) => {
      over();
      reject(new Error(`The suite could not be started: ${error.message}`));
    });
    child.once('close', () => {
      over();
      killGroup(child);
      if (signal.aborted) reject(signal.reason as Error);
      else resolve(problem);
    });
  });
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Already gone.
  }
}

async function checksIn(out: string): Promise<{ checks: unknown } | { problem: string }> {
  const [name] = await readdir(out);
  if (name === undefined) return { problem: 'The suite ended without output' };
  try {
    const text = await readPlainFile(join(out, name));
    if (text === undefined) return { problem: 'The suite wrote more than 4 MiB' };
    return { checks: JSON.parse(text) as unknown };
  } catch {
    return { problem: 'The output of the suite is invalid' };
  }
}

/**
 * Reads the file; undefined if it is too large. Throws for a link, because the process chose its target, which it may
 * not be allowed to read itself.
 */
async function readPlainFile(folder: string): Promise<string | undefined> {
  if (!(await lstat(folder)).isDirectory()) throw new Error('not a folder');
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(join(folder, 'checks.json'), flags);
  try {
    const status = await file.stat();
    if (!status.isFile()) throw new Error('not a file');
    return status.size > maxChecks ? undefined : await file.readFile('utf8');
  } finally {
    await file.close();
  }
}
