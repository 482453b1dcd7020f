import { homedir } from 'node:os';
import { delimiter, dirname } from 'node:path';
import {
  existing,
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
  return [
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
    ...temporary.flatMap(empty),
    ...(view.files === 'private' ? privateFiles(command) : sharedFiles(command, temporary)),
    ...existing(view.writable).flatMap((folder) => ['--bind', folder, folder]),
    ...hiddenPaths(view).flatMap(hidden),
  ];
}

function sharedFiles({ args, env }: Command, temporary: readonly string[]): string[] {
  const home = existing([env['HOME'] ?? homedir()]).filter((folder) => mayBeGiven(folder, temporary));
  const named = namedFolders(args, env).filter((folder) => mayBeGiven(folder, temporary));
  return [
    ...home.flatMap((folder) => ['--bind', folder, folder]),
    ...ownFolder(home, temporary).flatMap(readOnly),
    ...named.flatMap((folder) => ['--bind', folder, folder]),
    ...readOnly(programFolder),
  ];
}

/** The folder of the service, unless that is the home folder, or all there is. */
function ownFolder(home: readonly string[], temporary: readonly string[]): string[] {
  return existing(['.']).filter((folder) => !home.includes(folder) && mayBeGiven(folder, temporary));
}

/** Nobody's files but those of programs: an empty home, which is gone afterwards, and nothing that can be changed. */
function privateFiles({ args, env }: Command): string[] {
  const home = env['HOME'] ?? homedir();
  const covered = existing([...ofPeople, ...(mayBeGiven(home, []) ? [home] : [])]);
  const programs = [dirname(dirname(process.execPath)), ...(env['PATH'] ?? '').split(delimiter)];
  const seen = existing([...programs, programFolder, '.', ...namedFolders(args, env), ...forNames]);
  const uncovered = seen.filter((path) =>
    [...covered, ...temporaryFolders()].some((folder) => isInside(path, folder)),
  );
  return [
    ...covered.flatMap(empty),
    ...(mayBeGiven(home, []) ? ['--perms', '1777', '--dir', home] : []),
    ...uncovered.flatMap(readOnly),
  ];
}

function empty(folder: string): string[] {
  return ['--perms', '1777', '--size', String(roomForItself), '--tmpfs', folder];
}

function readOnly(folder: string): string[] {
  return ['--ro-bind', folder, folder];
}

/** A folder is empty, and a file cannot be opened: devices are not, where they are bound to. */
function hidden(path: string): string[] {
  return isFolder(path) ? ['--tmpfs', path, '--remount-ro', path] : ['--ro-bind', '/dev/null', path];
}
