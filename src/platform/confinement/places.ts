import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../config/settings.ts';
import { socketDirFor } from '../database/embedded/cluster.ts';

/** What confinement depends on. */
export type HiddenBy = Pick<Config, 'dataDir' | 'blobsUrl' | 'modelsFile' | 'commandHidden'>;

/** At the top of the file system: a command that names a file there is not given the right to change it. */
const system = [
  '',
  'bin',
  'boot',
  'dev',
  'etc',
  'lib',
  'lib32',
  'lib64',
  'proc',
  'run',
  'sbin',
  'sys',
  'usr',
];
/** Variables that point nowhere in particular. */
const ofEverybody = ['HOME', 'PATH', 'PWD', 'SHELL', 'TMPDIR'];
/** Paths in arguments and variables that are looked at. */
const mostNamed = 64;

/** The folder that this program was installed to. */
export const programFolder = realpathSync(fileURLToPath(new URL(ownRoot(), import.meta.url)));

/** From the sources and from the bundle alike: the nearest folder above with the manifest. */
function ownRoot(): string {
  let up = './';
  while (!existsSync(new URL(`${up}package.json`, import.meta.url)) && up.length < 30) up += '../';
  return up;
}

/**
 * What no command may see, as it is now: keys, the database with its socket, artifacts of all organizations, the
 * settings, and the keys of people who use the command line here.
 */
export function hiddenPaths({ dataDir, blobsUrl, modelsFile, commandHidden }: HiddenBy): string[] {
  const { env } = process;
  const pointer = join(dataDir, 'database-home');
  const elsewhere = existsSync(pointer) ? readFileSync(pointer, 'utf8').trim() : undefined;
  return existing([
    dataDir,
    ...(elsewhere === undefined ? [] : [dirname(elsewhere)]),
    socketDirFor(elsewhere ?? join(dataDir, 'postgres')),
    ...(blobsUrl?.startsWith('file:') ? [fileURLToPath(blobsUrl)] : []),
    env['DRYDOCK_CONFIG_FILE'] || 'drydock.config.json',
    ...(modelsFile === undefined ? [] : [modelsFile]),
    join(env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'drydock'),
    // A session of systemd starts whatever it is asked to, outside.
    '/run/user',
    ...(commandHidden ?? []),
  ]);
}

/** Folders for passing things, which each command gets for itself: those of others hold profiles and sockets. */
export function temporaryFolders(): string[] {
  return existing(['/tmp', '/var/tmp', tmpdir()]);
}

/** Folders that arguments and variables of a command name, by themselves or by a file in them. */
export function namedFolders(args: readonly string[], env: Readonly<Record<string, string>>): string[] {
  const variables = Object.entries(env).flatMap(([name, value]) =>
    ofEverybody.includes(name) ? [] : [value],
  );
  const texts = [...args, ...variables].flatMap((text) => [text, text.slice(text.indexOf('=') + 1)]);
  const paths = texts.filter((text) => /^(?:\/|\.\.?(?:\/|$))/.test(text) && text.length < 4096);
  const folders = paths.slice(0, mostNamed).flatMap((path) => {
    if (isFolder(path)) return [path];
    return isFolder(dirname(resolve(path))) ? [dirname(resolve(path))] : [];
  });
  return existing(folders);
}

/**
 * Whether a command that names a folder is given the one of the machine: not the system, nor all temporary files, nor
 * those of our browsers and suites.
 */
export function mayBeGiven(folder: string, temporary: readonly string[]): boolean {
  const [, top = ''] = folder.split('/');
  if (/\/drydock-(?:browser|conformance)-/.test(folder)) return false;
  return !system.includes(top) && !temporary.some((path) => path === folder || isInside(path, folder));
}

/** The folders between those that can be changed and the paths. */
export function foldersAbove(paths: readonly string[], changeable: readonly string[]): string[] {
  const above = paths.flatMap((path) => {
    const folders: string[] = [];
    for (let folder = dirname(path); folder !== '/'; folder = dirname(folder)) folders.push(folder);
    return folders;
  });
  return [...new Set(above)].filter((folder) => changeable.some((open) => isInside(folder, open))).toSorted();
}

export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '' && !way.startsWith('..');
}

export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Where they really are, each once, in an order in which a folder comes before what is in it. */
export function existing(paths: readonly string[]): string[] {
  const real = paths.flatMap((path) => {
    try {
      return [realpathSync(resolve(path))];
    } catch {
      return [];
    }
  });
  return [...new Set(real)].toSorted();
}
