import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readOwnFile } from './own-file.ts';

/** What a service that runs on its own database leaves in its data directory while it runs. */
export interface LocalService {
  /** The origin, as this machine reaches it. */
  url: string;
  /** Lets whoever may read the data directory in, as an owner. */
  token: string;
  pid: number;
  /** When that process began. Numbers of processes are given out again, and ports are too. */
  began: string | undefined;
}

function fileIn(dataDir: string): string {
  return join(dataDir, 'service.json');
}

/** Commands in this folder find it there. Nobody but the owner of the data directory may read it. */
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

/** One that another process left is not touched. */
export function withdrawService(dataDir: string): void {
  if (announced(dataDir)?.pid === process.pid) rmSync(fileIn(dataDir), { force: true });
}

/**
 * The service that runs there, if its process is still alive: whoever listens on the port of a dead one would be told
 * whatever a command says, secrets too.
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
    // None, or a negative one, would mean a whole group.
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Something that no other process with this number has in common with it; nothing where the system does not say. */
function beginningOf(pid: number): string | undefined {
  try {
    if (process.platform === 'linux') {
      // The name of the program comes before, in brackets, and may hold anything.
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ');
      // One that has ended keeps its number until somebody asks how; in many containers nobody does.
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
