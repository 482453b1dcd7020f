import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Account } from '../accounts.ts';
import type { Config } from '../config/settings.ts';
import { socketDirFor } from '../database/embedded/cluster.ts';

/** A command, before anything is put in front of it. */
export interface Command {
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Variables that secrets filled. */
  delivered?: readonly string[];
}

/** What confinement depends on. */
export type HiddenBy = Pick<
  Config,
  'dataDir' | 'blobsUrl' | 'modelsFile' | 'commandHidden' | 'tlsKey' | 'databaseUrl' | 'databaseDirectUrl'
>;

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
/** Maximum number of entries mounted separately. */
const mostEntries = 512;

/** The folder that this program was installed to. */
export const programFolder = realpathSync(fileURLToPath(new URL(ownRoot(), import.meta.url)));

/** From the sources and from the bundle alike: the nearest folder above with the manifest. */
function ownRoot(): string {
  let up = './';
  while (!existsSync(new URL(`${up}package.json`, import.meta.url)) && up.length < 30) up += '../';
  return up;
}

function isGiven(text: string | undefined): text is string {
  return text !== undefined && text !== '';
}

/** Variables of the service that name files with credentials. */
const credentialFiles = ['PGPASSFILE', 'AWS_SHARED_CREDENTIALS_FILE', 'AWS_WEB_IDENTITY_TOKEN_FILE'];

/**
 * What no command may see, as it is now: keys, the database with its socket, artifacts of all organizations, the
 * settings, and the keys of people who use the command line here.
 */
export function hiddenPaths(config: HiddenBy): string[] {
  const { dataDir, blobsUrl, modelsFile, commandHidden, tlsKey } = config;
  const { env } = process;
  const pointer = join(dataDir, 'database-home');
  const elsewhere = existsSync(pointer) ? readFileSync(pointer, 'utf8').trim() : undefined;
  return existing([
    dataDir,
    ...(elsewhere === undefined ? [] : [dirname(elsewhere)]),
    socketDirFor(elsewhere ?? join(dataDir, 'postgres')),
    ...(blobsUrl?.startsWith('file:') ? [fileURLToPath(blobsUrl)] : []),
    env['DRYDOCK_CONFIG_FILE'] || 'drydock.config.json',
    ...[modelsFile, tlsKey, ...credentialFiles.map((name) => env[name])].filter(isGiven),
    ...[config.databaseUrl, config.databaseDirectUrl].filter(isGiven).flatMap(pathsOfDatabase),
    join(homedir(), '.pgpass'),
    join(env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'drydock'),
    // A session of systemd starts whatever it is asked to, outside.
    '/run/user',
    ...(commandHidden ?? []),
  ]);
}

/** Sockets and keys that the address of the database names: PostgreSQL lets in whoever runs as the user of the service. */
function pathsOfDatabase(address: string): string[] {
  const [, hosts = '', search = ''] = /^\w+:\/\/(?:[^/?]*@)?([^/?]*)[^?]*\??(.*)$/s.exec(address) ?? [];
  const parameters = new URLSearchParams(search);
  const sockets = hosts.split(',').map((host) => host.replaceAll(/%2f/gi, '/'));
  const named = ['host', 'sslkey'].flatMap((name) => parameters.getAll(name));
  return [...sockets, ...named].filter((path) => path.startsWith('/'));
}

/** Folders for passing things, which each command gets for itself: those of others hold profiles and sockets. */
export function temporaryFolders(): string[] {
  return existing(['/tmp', '/var/tmp', tmpdir()]);
}

/**
 * Folders that arguments and saved variables of a command name, by themselves or by a file in them. A variable that a
 * secret filled names none: whoever uses a command would choose what it may change.
 */
export function namedFolders({ args, env, delivered = [] }: Omit<Command, 'command'>): string[] {
  const variables = Object.entries(env).flatMap(([name, value]) =>
    ofEverybody.includes(name) || delivered.includes(name) ? [] : [value],
  );
  const folders = pathsIn([...args, ...variables]).flatMap((path) => {
    if (isFolder(path)) return [path];
    return isFolder(dirname(resolve(path))) ? [dirname(resolve(path))] : [];
  });
  return existing(folders);
}

/** Files and folders that texts name and that there are. */
export function namedPaths(texts: readonly string[]): string[] {
  return existing(pathsIn(texts));
}

function pathsIn(texts: readonly string[]): string[] {
  const named = texts.flatMap((text) => [text, text.slice(text.indexOf('=') + 1)]);
  return named.filter((text) => /^(?:\/|\.\.?(?:\/|$))/.test(text) && text.length < 4096).slice(0, mostNamed);
}

/** Whether a command that names a folder is given the one of the machine: not the system, nor what `mayBeHome` refuses. */
export function mayBeGiven(folder: string, temporary: readonly string[]): boolean {
  return !isInside(folder, '/var') && mayBeHome(folder, temporary);
}

/**
 * Whether a folder may be the home of a command: not one of the system, nor all temporary files, nor those of our
 * browsers and suites. Homes of services are often below /var.
 */
export function mayBeHome(folder: string, temporary: readonly string[]): boolean {
  const [, top = ''] = folder.split('/');
  if (/\/drydock-(?:browser|conformance)-/.test(folder)) return false;
  if (system.includes(top) || folder === '/var') return false;
  return !temporary.some((path) => path === folder || isInside(path, folder));
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

/** Whether the user may pass through a folder, by its permissions alone. */
function mayEnter(folder: string, { uid, gid }: Pick<Account, 'uid' | 'gid'>): boolean {
  const { mode, ...owner } = statSync(folder);
  const bit = uid === owner.uid ? 0o100 : gid === owner.gid ? 0o010 : 0o001;
  return (mode & bit) !== 0;
}

/** The first folder on the way to a path, from the top, that the user cannot pass through. */
export function closedOnTheWay(
  path: string,
  user: Pick<Account, 'uid' | 'gid'>,
  counts: (folder: string) => boolean = () => true,
): string | undefined {
  const way: string[] = [];
  for (let folder = dirname(path); folder !== '/'; folder = dirname(folder)) way.unshift(folder);
  return way.find((folder) => !mayEnter(folder, user) && counts(folder));
}

/** Folders closed by another user than root stay closed to commands. */
export function isOfRoot(folder: string): boolean {
  return statSync(folder).uid === 0;
}

/**
 * Entries of a root-owned folder that the user may not enter but a command needs, such as one made by `mktemp -d`. Each
 * entry is mounted separately and keeps its own permissions. Empty for the home folder, whose files rely on the folder
 * being closed, and for folders with too many entries. Undefined if the user may enter.
 */
export function entriesOfClosed(folder: string, user: Pick<Account, 'uid' | 'gid'>): string[] | undefined {
  if (!isFolder(folder) || mayEnter(folder, user) || !isOfRoot(folder)) return undefined;
  if (folder === realpathSync(homedir())) return [];
  const entries = readdirSync(folder, { withFileTypes: true });
  const own = entries.filter((entry) => entry.isFile() || entry.isDirectory() || entry.isSymbolicLink());
  return own.length > mostEntries ? [] : own.map(({ name }) => join(folder, name)).toSorted();
}

/** Whether the user may list and enter a folder, or read a file. */
export function isOpenTo(path: string, { uid, gid }: Pick<Account, 'uid' | 'gid'>): boolean {
  const status = statSync(path);
  const needed = status.isDirectory() ? 5 : 4;
  const shift = uid === status.uid ? 6 : gid === status.gid ? 3 : 0;
  return ((status.mode >> shift) & needed) === needed;
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
