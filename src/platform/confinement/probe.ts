import { execFile } from 'node:child_process';
import { release } from 'node:os';
import { runsAsRoot } from '../accounts.ts';
import { findTools } from './tools.ts';
import { type Means, type Wrapped, wrap } from './wrap.ts';

/** Milliseconds that one attempt may take. */
const patience = 5_000;

export interface Probed {
  means: Means;
  /** Why there are no namespaces. */
  problem: string | undefined;
}

/** Starts a program that does nothing the way commands are started, with less and less around it, until that works. */
export async function probe(wrapped: Wrapped): Promise<Probed> {
  const tools = findTools();
  const root = runsAsRoot();
  const separate =
    countsByNamespace() && (!root || (wrapped.user !== undefined && tools.unshare !== undefined));
  const plain: Means = { tools, root, namespaces: false, countsApart: false };
  if (tools.bwrap === undefined || (wrapped.user && tools.setpriv === undefined))
    return {
      means: plain,
      problem: process.platform === 'linux' ? 'bwrap is not installed' : 'this is not Linux',
    };
  let problem: string | undefined;
  for (const countsApart of separate ? [true, false] : [false]) {
    const means = { ...plain, namespaces: true, countsApart };
    problem = await attempt(means, wrapped);
    if (problem === undefined) return { means, problem };
  }
  return { means: plain, problem };
}

/** Why it does not work. */
function attempt(means: Means, wrapped: Wrapped): Promise<string | undefined> {
  const env = { PATH: '/usr/bin:/bin' };
  const { args } = wrap({ command: 'true', args: [], env }, means, wrapped);
  const [program = '', ...rest] = args;
  return new Promise((resolve) => {
    execFile(program, rest, { env, timeout: patience, killSignal: 'SIGKILL' }, (error, _stdout, stderr) => {
      if (!error) resolve(undefined);
      else resolve(stderr.trim().split('\n').at(-1) || error.message.split('\n')[0] || 'it does not start');
    });
  });
}

/** Since Linux 5.14 a user namespace counts its processes for itself; before, the user's are counted everywhere. */
function countsByNamespace(): boolean {
  const [major = 0, minor = 0] = release().split('.').map(Number);
  return major > 5 || (major === 5 && minor >= 14);
}
