import { homedir } from 'node:os';
import { delimiter, dirname } from 'node:path';
import {
  existing,
  foldersAbove,
  type HiddenBy,
  hiddenPaths,
  isFolder,
  isInside,
  mayBeGiven,
  namedFolders,
  programFolder,
  temporaryFolders,
} from './places.ts';

/** A command, before anything is put in front of it. */
export interface Command {
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
}

export interface View extends HiddenBy {
  files: 'shared' | 'private';
  /** Folders that may be changed, whatever else may not. */
  writable: readonly string[];
}

/** Bytes that fit into a folder that a command has for itself; they are held in memory. */
const roomForItself = 512 * 1024 * 1024;

/** What is put over folders of the machine where files are private, and what names need nevertheless. */
const ofPeople = ['/home', '/root', '/run', '/mnt', '/media'];
const forNames = ['/run/systemd/resolve', '/run/resolvconf', '/run/current-system'];

/**
 * The file system of a command, as arguments of bwrap; later ones lie over earlier ones. All of it can be read, by
 * whom the permissions allow it. What can be changed is the home folder and what the command was pointed at, so that
 * servers work that keep files; not this program, nor the folder it was started in, where its settings are. What is
 * hidden comes last.
 */
export function mounts(command: Command, view: View): string[] {
  const temporary = temporaryFolders();
  const away = hiddenPaths(view);
  return [
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
    ...temporary.flatMap(empty),
    ...(view.files === 'private' ? privateFiles(command) : sharedFiles(command, temporary, away)),
    ...existing(view.writable).flatMap(changeable),
    ...away.flatMap(hidden),
    ...neededIn(away, command),
  ];
}

/** Where the home folder or programs are in what is hidden: a home that is empty, and the programs. */
function neededIn(away: readonly string[], { env }: Command): string[] {
  const isAway = (path: string): boolean => away.some((folder) => isInside(path, folder));
  const home = [env['HOME'] ?? homedir()].filter(isAway);
  const programs = existing([dirname(dirname(process.execPath)), programFolder]).filter(isAway);
  return [...home.flatMap((folder) => ['--perms', '1777', '--dir', folder]), ...programs.flatMap(readOnly)];
}

/** What a command names in the folder of the service can be changed, and that folder itself if it names it. */
function sharedFiles(
  { args, env }: Command,
  temporary: readonly string[],
  away: readonly string[],
): string[] {
  const given = (folders: string[]): string[] => folders.filter((folder) => mayBeGiven(folder, temporary));
  const home = given(existing([env['HOME'] ?? homedir()]));
  const named = given(namedFolders(args, env));
  const own = given(existing(['.'])).filter((folder) => !home.includes(folder) && !named.includes(folder));
  const inOwn = named.filter((folder) => own.some((service) => isInside(folder, service)));
  const outside = [...home, ...named.filter((folder) => !inOwn.includes(folder))];
  // Each is mounted for itself: what is mounted cannot be renamed, and so nothing below gets out from under its cover.
  const above = (folders: string[]): string[] =>
    existing([...folders, ...foldersAbove([...away, ...own, programFolder], folders)]);
  return [
    ...above(outside).flatMap(changeable),
    ...own.flatMap(readOnly),
    ...above(inOwn).flatMap(changeable),
    ...readOnly(programFolder),
  ];
}

/**
 * Nobody's files but those of programs: an empty home, which is gone afterwards, and nothing that can be changed. What
 * the command names is not shown either: whoever saves it is not trusted with the files of others.
 */
function privateFiles({ env }: Command): string[] {
  const home = env['HOME'] ?? homedir();
  const covered = existing([...ofPeople, ...(mayBeGiven(home, []) ? [home] : [])]);
  const programs = [dirname(dirname(process.execPath)), ...(process.env['PATH'] ?? '').split(delimiter)];
  const seen = existing([...programs, programFolder, '.', ...forNames]);
  const uncovered = seen.filter((path) =>
    [...covered, ...temporaryFolders()].some((folder) => isInside(path, folder)),
  );
  return [
    ...covered.flatMap(empty),
    ...(mayBeGiven(home, []) ? ['--perms', '1777', '--dir', home] : []),
    ...uncovered.flatMap(readOnly),
  ];
}

function changeable(folder: string): string[] {
  return ['--bind', folder, folder];
}

function empty(folder: string): string[] {
  return ['--perms', '1777', '--size', String(roomForItself), '--tmpfs', folder];
}

function readOnly(folder: string): string[] {
  return readOnlyOver(folder, folder);
}

/** A folder is an empty one of its own. A file cannot be opened: devices are not, where they are bound to. */
function hidden(path: string): string[] {
  return isFolder(path) ? empty(path) : readOnlyOver('/dev/null', path);
}

function readOnlyOver(source: string, path: string): string[] {
  return ['--ro-bind', source, path];
}
