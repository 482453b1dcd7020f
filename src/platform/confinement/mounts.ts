import { lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, resolve } from 'node:path';
import type { Account } from '../accounts.ts';
import type { Bound } from './mount-check.ts';
import {
  type Command,
  entriesOfClosed,
  existing,
  firstInaccessibleFolder,
  foldersAbove,
  type HiddenBy,
  hiddenPaths,
  isAllowedHome,
  isFolder,
  isGrantable,
  isInside,
  isOfRoot,
  namedFolders,
  programFolder,
  temporaryFolders,
} from './places.ts';

export interface View extends HiddenBy {
  files: 'shared' | 'private';
  /** Folders that stay writable. */
  writable: readonly string[];
}

/** A mount: an in-memory folder, a path of the machine, or a symbolic link. */
interface Mount {
  path: string;
  source: 'memory' | 'machine' | 'nothing' | { link: string };
  /** Whether an in-memory folder is writable. */
  writable: boolean;
}

/** Maximum bytes of a private in-memory folder. */
const maxPrivateFolder = 512 * 1024 * 1024;

/** Folders that hold private files and are hidden, and the paths below them that name resolution needs. */
const privateFolders = ['/home', '/root', '/run', '/mnt', '/media'];
const nameResolution = ['/run/systemd/resolve', '/run/resolvconf', '/run/current-system'];

/** Kernel files for root only, which containers hide too. */
const masked = ['kcore', 'keys', 'key-users', 'kmsg', 'latency_stats', 'sched_debug', 'timer_list'];

/**
 * The file system of a command, as bwrap arguments; later mounts cover earlier ones. Everything is readable within its
 * permissions. Writable are the home folder and the paths that the command names, so that servers can keep files, but
 * not this program nor the folder the service was started in, which holds its settings. Hidden paths come last. `user`
 * is the user of the command, unless it is the user of the service.
 */
export function mounts(
  command: Command,
  view: View,
  user: Account | undefined,
): { args: string[]; binds: Bound[] } {
  const temporary = temporaryFolders();
  const toHide = hiddenPaths(view);
  const given = view.files === 'private' ? [] : [...homeOf(command), ...namedFolders(command)];
  const closed = closedTo(user, [...programs(command), ...given, ...existing(view.writable)]);
  const covers = [
    ...[...closed, ...temporary].map((path) => memory(path, temporary.includes(path))),
    ...(view.files === 'private' ? privateHomes(command) : []),
  ];
  const covered = (path: string): boolean => covers.some((cover) => isInside(path, cover.path));
  const isClosed = (path: string): boolean => (user && entriesOfClosed(path, user)) !== undefined;
  const shared = view.files === 'private' ? [] : sharedFiles(command, temporary, toHide, user);
  const isShared = (path: string): boolean => shared.some((mount) => mount.path === path);
  const closedPrograms = programs(command).filter((path) => isClosed(path) && !isShared(path));
  const list = [
    ...covers.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    ...programs(command)
      .filter((path) => covered(path) && !isClosed(path))
      .map(readOnly),
    ...opened(shared, user),
    // Last, because mounting a surrounding folder's entries would uncover these again.
    ...opened(closedPrograms.map(readOnly), user),
    ...existing(view.writable).map(changeable),
    memory('/dev/shm', true),
    ...hiding(toHide, command, view, user),
  ];
  const args = [
    '--ro-bind',
    '/',
    '/',
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    ...(kernel ??= readOnlyKernel()),
    ...rendered(list),
  ];
  return { args, binds: list.filter(({ source }) => source === 'machine') };
}

let kernel: string[] | undefined;

/**
 * Makes /proc read-only except for processes. Permissions are not enough: root owns the files in /proc/sys and needs no
 * capability to write them, and bwrap takes them for read-only because their folder is.
 */
function readOnlyKernel(): string[] {
  const entries = readdirSync('/proc').filter((name) => !/^\d+$/.test(name));
  return entries.flatMap((name) => {
    const path = `/proc/${name}`;
    const status = lstatSync(path, { throwIfNoEntry: false });
    if (masked.includes(name)) return ['--ro-bind', '/dev/null', path];
    const open = status?.isDirectory() || (status?.isFile() && (status.mode & 0o222) !== 0);
    return open ? ['--ro-bind', path, path] : [];
  });
}

/** The paths that a command needs in order to start. */
export function programs({ command }: Pick<Command, 'command'>): string[] {
  const own = [dirname(dirname(process.execPath)), programFolder, '.', ...nameResolution];
  const named = command.includes('/') ? [dirname(resolve(command))] : [];
  return existing([...own, ...named, ...(process.env['PATH'] ?? '').split(delimiter)]).filter(
    (path) => path !== '/',
  );
}

function homeOf({ env }: Command): string[] {
  return existing([env['HOME'] ?? homedir()]);
}

/**
 * Folders of root, such as its home, that the command's user cannot pass on the way to paths it needs. They are
 * replaced by empty folders into which the needed paths are mounted.
 */
function closedTo(user: Account | undefined, needed: readonly string[]): string[] {
  // Including the current folder.
  const ways = [...needed, resolve('in-it')];
  const closed = user ? ways.flatMap((path) => firstInaccessibleFolder(path, user, isOfRoot) ?? []) : [];
  return [...new Set(closed)];
}

/** Replaces folders that the user may not enter by an empty folder with their entries mounted in it. */
function opened(list: readonly Mount[], user: Account | undefined): Mount[] {
  return list.flatMap((mount) => {
    const entries = user && entriesOfClosed(mount.path, user);
    if (entries === undefined) return [mount];
    // Not covered, because something below it may already be mounted.
    return entries.length === 0
      ? []
      : [memory(mount.path, false), ...entries.map((path) => entryOf(mount, path))];
  });
}

function entryOf(folder: Mount, path: string): Mount {
  const isLink = lstatSync(path).isSymbolicLink();
  return { ...folder, path, ...(isLink && { source: { link: readlinkSync(path) } }) };
}

/**
 * Hides paths, and mounts the needed paths inside of them again. A needed path may itself contain a hidden one, such as
 * the data directory in a home folder, which then covers it again.
 */
function hiding(toHide: readonly string[], command: Command, view: View, user: Account | undefined): Mount[] {
  const needed = neededIn(toHide, command, view, user);
  const used = [...homeOf(command), ...programs(command)];
  const shown = toHide.filter(
    (path) =>
      !toHide.some((folder) => isInside(path, folder)) ||
      needed.some((mount) => isInside(path, mount.path)) ||
      used.includes(path),
  );
  // Surrounding folders first.
  return [...shown.map((path) => hidden(path, command)), ...needed].toSorted((a, b) =>
    a.path < b.path ? -1 : 1,
  );
}

/**
 * The home folder and programs of the service itself, where they are inside a hidden folder and not hidden themselves.
 * Paths that the saved command or its variables name stay hidden.
 */
function neededIn(
  toHide: readonly string[],
  command: Command,
  { files }: View,
  user: Account | undefined,
): Mount[] {
  const isAway = (path: string): boolean =>
    !toHide.includes(path) && toHide.some((folder) => isInside(path, folder));
  const home = homeOf(command).filter((path) => isOwnHome(path, user) && isAway(path));
  return [
    ...home.map((path) => (files === 'private' ? memory(path, true) : changeable(path))),
    ...programs({ ...command, command: '' })
      .filter(isAway)
      .map(readOnly),
  ];
}

/** Whether this is the home folder that the service assigns, not one saved with the server. */
function isOwnHome(path: string, user: Account | undefined): boolean {
  return existing([user?.home ?? homedir()]).includes(path);
}

/** Paths in the service's folder that the command names are writable, and the folder itself if it names that. */
function sharedFiles(
  command: Command,
  temporary: readonly string[],
  toHide: readonly string[],
  user: Account | undefined,
): Mount[] {
  const given = (folders: string[]): string[] => folders.filter((folder) => isGrantable(folder, temporary));
  const home = homeOf(command).filter((folder) =>
    isOwnHome(folder, user) ? isAllowedHome(folder, temporary) : isGrantable(folder, temporary),
  );
  const named = given(namedFolders(command));
  const own = given(existing(['.'])).filter((folder) => !home.includes(folder) && !named.includes(folder));
  const inOwn = named.filter((folder) => own.some((service) => isInside(folder, service)));
  const outside = [...home, ...named.filter((folder) => !inOwn.includes(folder))];
  // Each writable folder gets its own mount: a mount point cannot be renamed, which would move the files below it out
  // from under their cover.
  const above = (folders: string[]): string[] =>
    existing([...folders, ...foldersAbove([...toHide, ...own, programFolder], folders)]);
  return [
    ...above(outside).map(changeable),
    ...own.map(readOnly),
    ...above(inOwn).map(changeable),
    readOnly(programFolder),
  ];
}

/**
 * Shows program files only: an empty home folder, which is removed afterwards, and nothing writable. Paths that the
 * command names stay hidden, because the author of the command is not trusted with the files of others.
 */
function privateHomes({ env }: Command): Mount[] {
  const home = env['HOME'] ?? homedir();
  return existing([...privateFolders, ...(isAllowedHome(home, []) ? [home] : [])]).map((path) =>
    memory(path, true),
  );
}

function changeable(path: string): Mount {
  return { path, source: 'machine', writable: true };
}

function readOnly(path: string): Mount {
  return { path, source: 'machine', writable: false };
}

function memory(path: string, writable: boolean): Mount {
  return { path, source: 'memory', writable };
}

/**
 * Replaces a folder by an empty one that only its owner can write to, and a file by one that cannot be opened: bind
 * mounts disable devices.
 */
function hidden(path: string, command: Command): Mount {
  return isFolder(path)
    ? memory(path, homeOf(command).includes(path))
    : { path, source: 'nothing', writable: false };
}

/**
 * Creates the parent folders of mounts first, because bwrap would create them for root only. Read-only in-memory
 * folders and /dev are made read-only last, because writing to them would not count against any limit.
 */
function rendered(list: readonly Mount[]): string[] {
  const isCovered = (path: string, at: number): boolean =>
    list.slice(at + 1).some((later) => later.path === path || isInside(path, later.path));
  const sealed = list.filter(
    ({ path, source, writable }, at) => source === 'memory' && !writable && !isCovered(path, at),
  );
  const steps = list.flatMap(({ path, source, writable }, index) => {
    const before = list.slice(0, index);
    const covers = before.filter((mount) => mount.source === 'memory').map((mount) => mount.path);
    const dirs = foldersAbove([path], covers).flatMap((folder) => ['--perms', '0755', '--dir', folder]);
    if (typeof source === 'object') return [...dirs, '--symlink', source.link, path];
    const perms = writable ? '1777' : '0755';
    if (source === 'memory')
      return [...dirs, '--perms', perms, '--size', String(maxPrivateFolder), '--tmpfs', path];
    const bind = writable ? '--bind' : '--ro-bind';
    return [...dirs, bind, source === 'nothing' ? '/dev/null' : path, path];
  });
  return [...steps, ...[...sealed.map(({ path }) => path), '/dev'].flatMap((path) => ['--remount-ro', path])];
}
