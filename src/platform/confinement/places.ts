import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Account } from '../accounts.ts';
import type { Config } from '../config/settings.ts';
import { socketDirFor } from '../database/embedded/cluster.ts';

/** A command without wrapper programs. */
export interface Command {
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Variables that contain secrets. */
  delivered?: readonly string[];
}

/** The settings that confinement depends on. */
export type HiddenBy = Pick<
  Config,
  'dataDir' | 'blobsUrl' | 'modelsFile' | 'commandHidden' | 'tlsKey' | 'databaseUrl' | 'databaseDirectUrl'
>;

/** System folders at the top of the file system. Commands that name a file there do not get write access to it. */
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
/** Variables that are set for every program and do not point to the command's files. */
const commonVariables = ['HOME', 'PATH', 'PWD', 'SHELL', 'TMPDIR'];
/** Maximum number of paths in arguments and variables that are considered. */
const maxNamed = 64;
/** Maximum number of entries mounted separately. */
const maxEntries = 512;

/** The installation folder of this program. */
export const programFolder = realpathSync(fileURLToPath(new URL(ownRoot(), import.meta.url)));

/** The nearest folder above with package.json, for sources and bundle alike. */
function ownRoot(): string {
  let up = './';
  while (!existsSync(new URL(`${up}package.json`, import.meta.url)) && up.length < 30) up += '../';
  return up;
}

function isGiven(text: string | undefined): text is string {
  return text !== undefined && text !== '';
}

/** Variables of the service that name credential files. */
const credentialFiles = ['PGPASSFILE', 'AWS_SHARED_CREDENTIALS_FILE', 'AWS_WEB_IDENTITY_TOKEN_FILE'];

/**
 * Paths that are hidden from every command: keys, the database and its socket, artifacts, settings, and the credentials
 * of people who use the command line here.
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
    // A systemd user session starts arbitrary programs outside of the sandbox.
    '/run/user',
    ...(commandHidden ?? []),
  ]);
}

/** Sockets and keys in the database URL: PostgreSQL trusts connections of the service's user. */
function pathsOfDatabase(address: string): string[] {
  const [, hosts = '', search = ''] = /^\w+:\/\/(?:[^/?]*@)?([^/?]*)[^?]*\??(.*)$/s.exec(address) ?? [];
  const parameters = new URLSearchParams(search);
  const sockets = hosts.split(',').map((host) => host.replaceAll(/%2f/gi, '/'));
  const named = ['host', 'sslkey'].flatMap((name) => parameters.getAll(name));
  return [...sockets, ...named].filter((path) => path.startsWith('/'));
}

/** Temporary folders. Each command gets its own, because the shared ones contain profiles and sockets of others. */
export function temporaryFolders(): string[] {
  return existing(['/tmp', '/var/tmp', tmpdir()]);
}

/**
 * Folders that arguments and saved variables of a command name, directly or by a file in them. Variables with secrets
 * are ignored: their values would let users of the command choose its writable folders.
 */
export function namedFolders({ args, env, delivered = [] }: Omit<Command, 'command'>): string[] {
  const variables = Object.entries(env).flatMap(([name, value]) =>
    commonVariables.includes(name) || delivered.includes(name) ? [] : [value],
  );
  const folders = pathsIn([...args, ...variables]).flatMap((path) => {
    if (isFolder(path)) return [path];
    return isFolder(dirname(resolve(path))) ? [dirname(resolve(path))] : [];
  });
  return existing(folders);
}

/** Existing files and folders named in the texts. */
export function namedPaths(texts: readonly string[]): string[] {
  return existing(pathsIn(texts));
}

function pathsIn(texts: readonly string[]): string[] {
  const named = texts.flatMap((text) => [text, text.slice(text.indexOf('=') + 1)]);
  return named.filter((text) => /^(?:\/|\.\.?(?:\/|$))/.test(text) && text.length < 4096).slice(0, maxNamed);
}

/**
 * Whether a command may get access to a folder that it names: no system folders, nor those that `isAllowedHome` refuses.
 */
export function isGrantable(folder: string, temporary: readonly string[]): boolean {
  return !isInside(folder, '/var') && isAllowedHome(folder, temporary);
}

/**
 * Whether a folder may be the home of a command: no system folder, temporary directory, or folder of our browsers and
 * suites. Home folders of service users are often below /var.
 */
export function isAllowedHome(folder: string, temporary: readonly string[]): boolean {
  const [, top = ''] = folder.split('/');
  if (/\/drydock-(?:browser|conformance)-/.test(folder)) return false;
  if (system.includes(top) || folder === '/var') return false;
  return !temporary.some((path) => path === folder || isInside(path, folder));
}

/** The folders between the paths and the writable folders above them. */
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

/** Whether the user may enter a folder, by its permissions. */
function mayEnter(folder: string, { uid, gid }: Pick<Account, 'uid' | 'gid'>): boolean {
  const { mode, ...owner } = statSync(folder);
  const bit = uid === owner.uid ? 0o100 : gid === owner.gid ? 0o010 : 0o001;
  return (mode & bit) !== 0;
}

/** The first folder on the way to a path that the user cannot enter. */
export function firstInaccessibleFolder(
  path: string,
  user: Pick<Account, 'uid' | 'gid'>,
  counts: (folder: string) => boolean = () => true,
): string | undefined {
  const way: string[] = [];
  for (let folder = dirname(path); folder !== '/'; folder = dirname(folder)) way.unshift(folder);
  return way.find((folder) => !mayEnter(folder, user) && counts(folder));
}

/** Commands may pass closed folders of root only, not those of other users. */
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
  return own.length > maxEntries ? [] : own.map(({ name }) => join(folder, name)).toSorted();
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

/** Resolves links, removes duplicates, and sorts folders before their contents. */
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
