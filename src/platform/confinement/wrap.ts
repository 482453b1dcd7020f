import type { Account } from '../accounts.ts';
import { mountCheck } from './mount-check.ts';
import { mounts, type View } from './mounts.ts';
import type { Command } from './places.ts';
import type { Tools } from './tools.ts';

/** The facilities of the machine for confining commands. */
export interface Facilities {
  tools: Tools;
  /** Whether bwrap works on this machine. */
  namespaces: boolean;
  /** Whether a user namespace works for the commands' user, so that each command has its own process count. */
  countsApart: boolean;
  /** Whether the service runs as root. */
  root: boolean;
  /** The hard limits of the service, by the resource names of prlimit. */
  hard: Partial<Record<Resource, number>>;
}

interface Bounds {
  /** Bytes of written memory per process. */
  memory: number;
  /** Processes and threads per command. */
  processes: number;
  /** Maximum number of concurrent commands. */
  commands: number;
}

export interface Wrapped {
  user: Account | undefined;
  network: 'shared' | 'none';
  view: View;
  bounds: Bounds;
}

/** Maximum size of a file in bytes, and maximum number of open files. */
const maxFile = 2 * 1024 ** 3;
const maxOpen = 4096;
/** Names in /proc/self/limits. */
const resources = {
  data: 'Max data size',
  fsize: 'Max file size',
  nofile: 'Max open files',
  nproc: 'Max processes',
} as const;
type Resource = keyof typeof resources;
/** Commands get lower CPU priority than the service and are killed first when memory runs out. */
const niceness = 5;
const oomScore = 500;

/**
 * Variables that make a program or shell load other code. They are set for the command only, not for its wrapper
 * programs.
 */
const loadsCode =
  /^(?:LD_|BASH_|(?:GLIBC_TUNABLES|GCONV_PATH|LOCPATH|NLSPATH|ENV|SHELLOPTS|BASHOPTS|PS4|IFS)$)/;

/** The command line with wrapper programs, each of which executes the next. */
export function wrap(
  command: Command,
  facilities: Facilities,
  wrapped: Wrapped,
): { args: string[]; env: Command['env'] } {
  const { tools } = facilities;
  const variables = Object.entries(command.env);
  const later = variables.filter(([name]) => loadsCode.test(name)).map(([name, value]) => `${name}=${value}`);
  const args = [
    ...through(tools.nice, '-n', String(niceness)),
    ...through(tools.choom, '-n', String(oomScore), '--'),
    // The first process in the namespaces gets the limits too, because a command of the same user could take it over.
    ...(facilities.namespaces
      ? [...limits(facilities, limitsOfEach(wrapped)), ...namespaces(command, facilities, wrapped)]
      : []),
    ...privileges(facilities, wrapped),
    ...(facilities.countsApart && facilities.root && wrapped.user
      ? through(tools.unshare, '--user', '--map-current-user', '--')
      : []),
    ...limits(facilities, wantedLimits(facilities, wrapped)),
    ...(later.length > 0 ? through(tools.env, ...later) : []),
    command.command,
    ...command.args,
  ];
  return { args, env: Object.fromEntries(variables.filter(([name]) => !loadsCode.test(name))) };
}

function through(tool: string | undefined, ...args: string[]): string[] {
  return tool === undefined ? [] : [tool, ...args];
}

/** Root needs no user namespace. Only the capabilities needed to drop the others and to switch users are kept. */
function namespaces(
  command: Command,
  { tools, root }: Facilities,
  { user, network, view }: Wrapped,
): string[] {
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

/** Drops all privileges. Root keeps access to files of its own only. */
function privileges({ tools, root }: Facilities, { user }: Wrapped): string[] {
  const become = user ? [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'] : [];
  const drop = root ? ['--inh-caps=-all', '--bounding-set=-all'] : [];
  return through(tools.setpriv, ...become, ...drop, '--no-new-privs', '--');
}

type Limit = [Resource, number];

/** Limits of each process. RLIMIT_DATA instead of RLIMIT_AS, because V8 reserves gigabytes of address space. */
function limitsOfEach({ bounds }: Wrapped): Limit[] {
  return [
    ['data', bounds.memory],
    ['fsize', maxFile],
    ['nofile', maxOpen],
  ];
}

/**
 * Process limits count per user. If the user has other processes too, the limit applies only with a separate count per
 * command.
 */
function wantedLimits({ countsApart, root }: Facilities, wrapped: Wrapped): Limit[] {
  const { user, bounds } = wrapped;
  const processes = countsApart ? bounds.processes : bounds.processes * bounds.commands;
  const counted = user !== undefined || (countsApart && !root);
  return [...limitsOfEach(wrapped), ...(counted ? [['nproc', processes] as Limit] : [])];
}

/** Caps limits at the hard limits of the service, which cannot be exceeded. */
function limits(facilities: Facilities, wanted: readonly Limit[]): string[] {
  const most = wanted.map(([name, limit]) => `--${name}=${Math.min(limit, facilities.hard[name] ?? limit)}`);
  return through(facilities.tools.prlimit, ...most, '--core=0', '--');
}

/** How to raise the hard limits of the service that are lower than the limits of commands. */
export function shortfalls(facilities: Facilities, wrapped: Wrapped): string[] {
  return wantedLimits(facilities, wrapped).flatMap(([name, limit]) => {
    const hard = facilities.hard[name] ?? limit;
    if (hard >= limit) return [];
    return `Raise the hard limit "${resources[name]}" of the service from ${hard} to ${limit} (systemd: Limit${name.toUpperCase()}=${limit})`;
  });
}

/** Reads the finite hard limits from the text of /proc/self/limits; unlimited ones are omitted. */
export function hardLimits(text: string): Facilities['hard'] {
  const lines = text.split('\n');
  const found = Object.entries(resources).flatMap(([name, called]) => {
    const hard = lines
      .find((line) => line.startsWith(called))
      ?.slice(called.length)
      .trim()
      .split(/\s+/)[1];
    return hard === undefined || hard === 'unlimited' ? [] : [[name, Number(hard)]];
  });
  return Object.fromEntries(found) as Facilities['hard'];
}
