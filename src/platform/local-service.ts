import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readOwnFile } from './own-file.ts';

/** A file that a running service leaves in the data directory of its embedded database. */
export interface LocalService {
  /** The origin, as reached from this machine. */
  url: string;
  /** Grants owner access to users who can read the data directory. */
  token: string;
  pid: number;
  /** The start time of the process, because process IDs and ports are reused. */
  began: string | undefined;
}

function fileIn(dataDir: string): string {
  return join(dataDir, 'service.json');
}

/** Lets commands in this folder find the service. Only the owner of the data directory can read the file. */
export async function announceService(
  dataDir: string,
  service: Pick<LocalService, 'url' | 'token'>,
): Promise<void> {
  const { pid } = process;
  const path = fileIn(dataDir);
  const beside = `${path}.${pid}`;
  await rm(beside, { force: true });
  await writeFile(beside, JSON.stringify({ ...service, pid, began: beginningOf(pid) }), {
    mode: 0o600,
    flag: 'wx',
  });
  await rename(beside, path);
}

/** Removes the file, unless it belongs to another process. */
export function withdrawService(dataDir: string): void {
  if (announced(dataDir)?.pid === process.pid) rmSync(fileIn(dataDir), { force: true });
}

/**
 * The service of a data directory, if its process is alive: a command must not send secrets to another program that
 * uses the port of a dead one.
 */
export function serviceIn(dataDir: string): LocalService | undefined {
  const found = announced(dataDir);
  return found && isAlive(found.pid) && beginningOf(found.pid) === found.began ? found : undefined;
}

function announced(dataDir: string): LocalService | undefined {
  try {
    const { url, token, pid, began } = JSON.parse(readOwnFile(fileIn(dataDir))) as LocalService;
    return typeof url === 'string' && typeof token === 'string' ? { url, token, pid, began } : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    // Zero or a negative number would address a process group.
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Identifies a process together with its ID, since IDs are reused. Undefined if the system has no /proc. */
function beginningOf(pid: number): string | undefined {
  try {
    if (process.platform === 'linux') {
      // The program's name precedes in parentheses and may contain any character.
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ');
      // An ended process keeps its ID until its parent collects it, which in many containers never happens.
      if (fields?.[0] === 'Z') return undefined;
      return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${fields?.[19]}`;
    }
    if (process.platform === 'win32') return undefined;
    const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { env, encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}
