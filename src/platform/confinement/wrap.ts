import type { Account } from '../accounts.ts';
import { mountCheck } from './mount-check.ts';
import { mounts, type View } from './mounts.ts';
import type { Command } from './places.ts';
import type { Tools } from './tools.ts';

/** What of the machine is used to confine commands. */
export interface Means {
  tools: Tools;
  /** Whether bwrap works here. */
  namespaces: boolean;
  /** Whether a user namespace works for whom commands run as: then the processes of each command are counted apart. */
  countsApart: boolean;
  /** Whether the service is root. */
  root: boolean;
  /** The most that the service may allow itself of each resource, in the words of prlimit. */
  hard: Partial<Record<Resource, number>>;
}

interface Bounds {
  /** Bytes of memory that one process may write to. */
  memory: number;
  /** Processes and threads of one command. */
  processes: number;
  /** How many commands there may be. */
  commands: number;
}

export interface Wrapped {
  user: Account | undefined;
  network: 'shared' | 'none';
  view: View;
  bounds: Bounds;
}

/** Of one file, in bytes, and files open at once. */
const mostFile = 2 * 1024 ** 3;
const mostOpen = 4096;
/** As the kernel calls them in /proc/self/limits. */
const resources = {
  data: 'Max data size',
  fsize: 'Max file size',
  nofile: 'Max open files',
  nproc: 'Max processes',
} as const;
type Resource = keyof typeof resources;
/** Commands give way to the service when there is too little of the processor, and go first when memory runs out. */
const niceness = 5;
const firstToGo = 500;

/** Variables that make a program, or a shell, run other code: they are for the command, not for what it is started through. */
const loadsCode =
  /^(?:LD_|BASH_|(?:GLIBC_TUNABLES|GCONV_PATH|LOCPATH|NLSPATH|ENV|SHELLOPTS|BASHOPTS|PS4|IFS)$)/;

/** The command with the programs in front that confine it, each of which becomes the next. */
export function wrap(
  command: Command,
  means: Means,
  wrapped: Wrapped,
): { args: string[]; env: Command['env'] } {
  const { tools } = means;
  const variables = Object.entries(command.env);
  const later = variables.filter(([name]) => loadsCode.test(name)).map(([name, value]) => `${name}=${value}`);
  const args = [
    ...through(tools.nice, '-n', String(niceness)),
    ...through(tools.choom, '-n', String(firstToGo), '--'),
    // The first process in the namespaces has these limits, too: a command of the same user may take it over.
    ...(means.namespaces
      ? [...limits(means, limitsOfEach(wrapped)), ...namespaces(command, means, wrapped)]
      : []),
    ...privileges(means, wrapped),
    ...(means.countsApart && means.root && wrapped.user
      ? through(tools.unshare, '--user', '--map-current-user', '--')
      : []),
    ...limits(means, wantedLimits(means, wrapped)),
    ...(later.length > 0 ? through(tools.env, ...later) : []),
    command.command,
    ...command.args,
  ];
  return { args, env: Object.fromEntries(variables.filter(([name]) => !loadsCode.test(name))) };
}

function through(tool: string | undefined, ...args: string[]): string[] {
  return tool === undefined ? [] : [tool, ...args];
}

/** Root needs no user namespace, and keeps just what it takes to give up the rest and to become somebody else. */
function namespaces(command: Command, { tools, root }: Means, { user, network, view }: Wrapped): string[] {
  const kept = root && tools.setpriv ? ['CAP_SETPCAP', ...(user ? ['CAP_SETUID', 'CAP_SETGID'] : [])] : [];
  const { args, binds } = mounts(command, view, user);
  return through(
    tools.bwrap,
    ...(root ? [] : ['--unshare-user']),
    ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try', '--die-with-parent'],
    ...(network === 'none' ? ['--unshare-net'] : []),
    ...['--cap-drop', 'ALL', ...kept.flatMap((capability) => ['--cap-add', capability])],
    ...args,
    '--',
    ...mountCheck(tools.sh as string, binds),
  );
}

/** Nothing that is started later has more rights; root has none but those of the owner of its files. */
function privileges({ tools, root }: Means, { user }: Wrapped): string[] {
  const become = user ? [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'] : [];
  const drop = root ? ['--inh-caps=-all', '--bounding-set=-all'] : [];
  return through(tools.setpriv, ...become, ...drop, '--no-new-privs', '--');
}

type Limit = [Resource, number];

/** Of memory, what was written to is counted, not what was reserved: V8 reserves gigabytes. */
function limitsOfEach({ bounds }: Wrapped): Limit[] {
  return [
    ['data', bounds.memory],
    ['fsize', mostFile],
    ['nofile', mostOpen],
  ];
}

/**
 * Processes are counted by user; where the user has others, they are bounded only when those of the command are counted
 * apart.
 */
function wantedLimits({ countsApart, root }: Means, wrapped: Wrapped): Limit[] {
  const { user, bounds } = wrapped;
  const processes = countsApart ? bounds.processes : bounds.processes * bounds.commands;
  const counted = user !== undefined || (countsApart && !root);
  return [...limitsOfEach(wrapped), ...(counted ? [['nproc', processes] as Limit] : [])];
}

/** Nothing is asked for that the service may not have itself: it would be refused. */
function limits(means: Means, wanted: readonly Limit[]): string[] {
  const most = wanted.map(([name, limit]) => `--${name}=${Math.min(limit, means.hard[name] ?? limit)}`);
  return through(means.tools.prlimit, ...most, '--core=0', '--');
}

/** What commands get less of than they should, since the service may not have it itself. */
export function shortfalls(means: Means, wrapped: Wrapped): string[] {
  return wantedLimits(means, wrapped).flatMap(([name, limit]) => {
    const hard = means.hard[name] ?? limit;
    if (hard >= limit) return [];
    return `Raise the hard limit "${resources[name]}" of the service from ${hard} to ${limit} (systemd: Limit${name.toUpperCase()}=${limit})`;
  });
}

/** Of this process, from the text of /proc/self/limits. */
export function hardLimits(text: string): Means['hard'] {
  const lines = text.split('\n');
  const found = Object.entries(resources).flatMap(([name, called]) => {
    const hard = lines
      .find((line) => line.startsWith(called))
      ?.slice(called.length)
      .trim()
      .split(/\s+/)[1];
    return hard === undefined || hard === 'unlimited' ? [] : [[name, Number(hard)]];
  });
  return Object.fromEntries(found) as Means['hard'];
}
