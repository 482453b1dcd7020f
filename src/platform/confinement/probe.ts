import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { homedir, release } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runsAsRoot } from '../accounts.ts';
import { programs } from './mounts.ts';
import { existing, hiddenPaths, isFolder, isInside, programFolder } from './places.ts';
import { findTools } from './tools.ts';
import { hardLimits, type Means, type Wrapped, wrap } from './wrap.ts';

/** Milliseconds that one attempt may take. */
const timeout = 30_000;
/** Bytes that Node takes to start at all; a command may be given less. */
const memoryOfNode = 1024 ** 3;

const selfTest = fileURLToPath(new URL('./self-test.cjs', import.meta.url));

/** Files of the kernel that root may write to, each of which gives the machine away. */
const ofKernel = ['sys/kernel/core_pattern', 'sys/kernel/modprobe', 'sys/vm/panic_on_oom', 'sysrq-trigger'];
/** Entries of a hidden folder that are tried. */
const mostTried = 16;

/** The self-test ended without a result, for example because the machine was too busy. It can be repeated. */
export class SelfTestIncomplete extends Error {}

export interface Probed {
  means: Means;
  /** Why there are no namespaces. */
  problem: string | undefined;
  /** What a command could do in the namespaces there are, and must not. */
  broken: string[];
}

/**
 * Starts a program the way commands are started, with less and less around it, until that works. The program tries what
 * commands must not be able to do. Rejects with `SelfTestIncomplete` where it cannot tell. `unwritable` are files that it must not be able to open for writing.
 */
export async function probe(
  wrapped: Wrapped,
  unwritable: readonly string[] = ofKernel.map((name) => join('/proc', name)),
  program: readonly [string, ...string[]] = [process.execPath, selfTest],
): Promise<Probed> {
  const tools = findTools();
  const root = runsAsRoot();
  const separate =
    countsByNamespace() && (!root || (wrapped.user !== undefined && tools.unshare !== undefined));
  const plain: Means = { tools, root, namespaces: false, countsApart: false, hard: ownLimits() };
  if (process.platform !== 'linux') return { means: plain, problem: 'this is not Linux', broken: [] };
  const missing = (['bwrap', 'sh', ...(wrapped.user ? (['setpriv'] as const) : [])] as const).find(
    (name) => tools[name] === undefined,
  );
  if (missing) return { means: plain, problem: `${missing} is not installed`, broken: [] };
  let problem: string | undefined;
  for (const countsApart of separate ? [true, false] : [false]) {
    const means = { ...plain, namespaces: true, countsApart };
    const outcome = await attempt(means, wrapped, unwritable, program);
    if (typeof outcome !== 'string') return { means, problem: undefined, broken: outcome };
    problem = outcome;
  }
  return { means: plain, problem, broken: [] };
}

/** What succeeded inside and must not, or why nothing was started. */
function attempt(
  means: Means,
  wrapped: Wrapped,
  unwritable: readonly string[],
  [program, ...before]: readonly [string, ...string[]],
): Promise<string[] | string> {
  const { user, bounds, view } = wrapped;
  const env = { PATH: '/usr/bin:/bin', ...(user && { HOME: user.home }) };
  const given = [...programs({ command: '' }), ...existing([user?.home ?? homedir()])];
  const tried = {
    uid: user?.uid ?? process.getuid?.(),
    unwritable: [...unwritable, programFolder],
    hidden: hiddenPaths(view).flatMap((path) => contentsOf(path, given)),
  };
  const command = { command: program, args: [...before, JSON.stringify(tried)], env };
  const roomy = { ...wrapped, bounds: { ...bounds, memory: Math.max(bounds.memory, memoryOfNode) } };
  const [starter = '', ...rest] = wrap(command, means, roomy).args;
  return new Promise((resolve, reject) => {
    execFile(starter, rest, { env, timeout, killSignal: 'SIGKILL' }, (error, stdout, stderr) => {
      // A timeout that fires after the program has ended leaves no error and no output.
      if (error?.killed || (!error && stdout === ''))
        reject(
          new SelfTestIncomplete(`The self-test of command confinement took longer than ${timeout / 1000} s`),
        );
      else if (!error) resolve(sentencesIn(stdout) ?? 'the self-test printed something else than its result');
      else resolve(stderr.trim().split('\n').at(-1) || error.message.split('\n')[0] || 'it does not start');
    });
  });
}

/** What the self-test prints. A program that stands in for one of the system may print anything. */
function sentencesIn(output: string): string[] | undefined {
  try {
    const value: unknown = JSON.parse(output);
    return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A file, or what is in a folder, but for what commands are given in it: hidden paths in that are tried themselves. */
function contentsOf(path: string, given: readonly string[]): string[] {
  if (!isFolder(path)) return [path];
  try {
    const all = readdirSync(path).map((name) => join(path, name));
    return all
      .filter((one) => !given.some((folder) => folder === one || isInside(folder, one)))
      .slice(0, mostTried);
  } catch {
    return [];
  }
}

function ownLimits(): Means['hard'] {
  return process.platform === 'linux' ? hardLimits(readFileSync('/proc/self/limits', 'utf8')) : {};
}

/** Since Linux 5.14 a user namespace counts its processes for itself; before, the user's are counted everywhere. */
function countsByNamespace(): boolean {
  const [major = 0, minor = 0] = release().split('.').map(Number);
  return major > 5 || (major === 5 && minor >= 14);
}
