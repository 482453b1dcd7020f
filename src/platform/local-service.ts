import { readFileSync, rmSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What a service that runs on its own database leaves in its data directory while it runs. */
export interface LocalService {
  /** The origin, as this machine reaches it. */
  url: string;
  /** Lets whoever may read the data directory in, as an owner. */
  token: string;
  pid: number;
}

function fileIn(dataDir: string): string {
  return join(dataDir, 'service.json');
}

/** Commands in this folder find it there. Nobody but the owner of the data directory may read it. */
export async function announceService(dataDir: string, service: Omit<LocalService, 'pid'>): Promise<void> {
  const path = fileIn(dataDir);
  const beside = `${path}.${process.pid}`;
  await writeFile(beside, JSON.stringify({ ...service, pid: process.pid }), { mode: 0o600 });
  await rename(beside, path);
}

/** One that another process left is not touched. */
export function withdrawService(dataDir: string): void {
  if (announced(dataDir)?.pid === process.pid) rmSync(fileIn(dataDir), { force: true });
}

/** The service that runs there, if its process is still alive. */
export function serviceIn(dataDir: string): LocalService | undefined {
  const found = announced(dataDir);
  return found && isAlive(found.pid) ? found : undefined;
}

function announced(dataDir: string): LocalService | undefined {
  try {
    const { url, token, pid } = JSON.parse(readFileSync(fileIn(dataDir), 'utf8')) as LocalService;
    return typeof url === 'string' && typeof token === 'string' ? { url, token, pid } : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
