import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { homedir, release } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runsAsRoot } from '../accounts.ts';
import { programs } from './mounts.ts';
import { existing, hiddenPaths, isFolder, isInside, programFolder } from './places.ts';
import { findTools } from './tools.ts';
import { type Facilities, hardLimits, type Wrapped, wrap } from './wrap.ts';

/** Milliseconds for one attempt. */
const timeout = 30_000;
/** Bytes that Node needs to start. Commands may have less. */
const memoryOfNode = 1024 ** 3;

const selfTest = fileURLToPath(new URL('./self-test.cjs', import.meta.url));

/** Kernel files that root can write to. Access to any of them compromises the machine. */
const kernelFiles = [
  'sys/kernel/core_pattern',
  'sys/kernel/modprobe',
  'sys/vm/panic_on_oom',
  'sysrq-trigger',
];
/** Maximum number of entries of a hidden folder that are tried. */
const maxTried = 16;

/** The self-test ended without a result, for example because the machine was overloaded, and can be repeated. */
export class SelfTestIncomplete extends Error {}

export interface ProbeResult {
  facilities: Facilities;
  /** The reason why namespaces are unavailable. */
  problem: string | undefined;
  /** Forbidden actions that succeeded inside the namespaces. */
  broken: string[];
}

/**
 * Runs a self-test confined like a command, with fewer and fewer facilities until it starts. The self-test tries
 * forbidden actions, such as opening the `unwritable` files for writing. Rejects with `SelfTestIncomplete` if it has no
 * result.
 */
export async function probe(
  wrapped: Wrapped,
  unwritable: readonly string[] = kernelFiles.map((name) => join('/proc', name)),
  program: readonly [string, ...string[]] = [process.execPath, selfTest],
): Promise<ProbeResult> {
  const tools = findTools();
  const root = runsAsRoot();
  const separate =
    countsByNamespace() && (!root || (wrapped.user !== undefined && tools.unshare !== undefined));
  const plain: Facilities = { tools, root, namespaces: false, countsApart: false, hard: ownLimits() };
  if (process.platform !== 'linux') return { facilities: plain, problem: 'this is not Linux', broken: [] };
  const missing = (['bwrap', 'sh', ...(wrapped.user ? (['setpriv'] as const) : [])] as const).find(
    (name) => tools[name] === undefined,
  );
  if (missing) return { facilities: plain, problem: `${missing} is not installed`, broken: [] };
  let problem: string | undefined;
  for (const countsApart of separate ? [true, false] : [false]) {
    const facilities = { ...plain, namespaces: true, countsApart };
    const outcome = await attempt(facilities, wrapped, unwritable, program);
    if (typeof outcome !== 'string') return { facilities, problem: undefined, broken: outcome };
    problem = outcome;
  }
  return { facilities: plain, problem, broken: [] };
}

/**
 * Runs the self-test once. Returns the forbidden actions that succeeded, or the reason why it produced no report.
 * Rejects with `SelfTestIncomplete` on a timeout or an empty result.
 */
function attempt(
  facilities: Facilities,
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
  const [starter = '', ...rest] = wrap(command, facilities, roomy).args;
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

/** Parses the output of the self-test. A replaced system program may print anything. */
function sentencesIn(output: string): string[] | undefined {
  try {
    const value: unknown = JSON.parse(output);
    return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * A file, or the contents of a folder except for the paths given to commands, whose hidden contents are tried
 * separately.
 */
function contentsOf(path: string, given: readonly string[]): string[] {
  if (!isFolder(path)) return [path];
  try {
    const all = readdirSync(path).map((name) => join(path, name));
    return all
      .filter((one) => !given.some((folder) => folder === one || isInside(folder, one)))
      .slice(0, maxTried);
  } catch {
    return [];
  }
}

function ownLimits(): Facilities['hard'] {
  return process.platform === 'linux' ? hardLimits(readFileSync('/proc/self/limits', 'utf8')) : {};
}

/**
 * Since Linux 5.14, a user namespace has its own process count; before, processes count for the user on the whole
 * machine.
 */
function countsByNamespace(): boolean {
  const [major = 0, minor = 0] = release().split('.').map(Number);
  return major > 5 || (major === 5 && minor >= 14);
}
