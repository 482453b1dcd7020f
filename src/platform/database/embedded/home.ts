import { createHash } from 'node:crypto';
import { chmod, chown, mkdir, readFile, realpath, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Account as FullAccount } from '../../accounts.ts';
import { OperatorProblem } from '../../problem.ts';
import { accountForDatabase } from './account.ts';

type Account = Pick<FullAccount, 'uid' | 'gid'>;

/** The folder of the database, and the account it runs as. */
export interface Home {
  path: string;
  account: Account | undefined;
  /** Set if the files had to be outside of the data directory. */
  elsewhere: boolean;
}

export const pointerName = 'database-home';
const systemDir = '/var/lib/drydock';

/**
 * Normally `<data directory>/postgres`. If the service is root, the account of the database may be unable to enter the
 * folders above; then the files go to a system folder, and a pointer file names it.
 */
export async function findHome(dataDir: string): Promise<Home> {
  const inside = join(dataDir, 'postgres');
  const pointer = join(dataDir, pointerName);
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    const pointed = await readFile(pointer, 'utf8').catch(() => undefined);
    const account = await accountForDatabase(pointed?.trim() ?? inside);
    if (!account) return { path: await ownedBy(undefined, inside), account, elsewhere: false };
    if (pointed) return { path: await ownedBy(account, pointed.trim()), account, elsewhere: true };
    if (await canEnter(dirname(await realpath(dataDir)), account)) {
      // The execute bit lets the database pass through the folder without listing it.
      const mode = (await stat(dataDir)).mode & 0o777;
      if ((mode & 0o001) === 0) await chmod(dataDir, mode | 0o011);
      return { path: await ownedBy(account, inside), account, elsewhere: false };
    }
    const name = createHash('sha256')
      .update(await realpath(dataDir))
      .digest('hex')
      .slice(0, 16);
    const path = join(systemDir, name);
    await mkdir(systemDir, { recursive: true, mode: 0o711 });
    await ownedBy(account, path);
    await writeFile(pointer, `${path}\n`);
    return { path, account, elsewhere: true };
  } catch (error) {
    if (error instanceof OperatorProblem) throw error;
    throw new OperatorProblem(
      `The data directory ${dataDir} cannot be used: ${(error as Error).message}. Set DRYDOCK_DATA_DIR to a folder you may write to`,
    );
  }
}

/** The existing folder of the database, without creating one. */
export async function existingHome(dataDir: string): Promise<string> {
  const pointed = await readFile(join(dataDir, pointerName), 'utf8').catch(() => undefined);
  return pointed?.trim() ?? join(dataDir, 'postgres');
}

async function ownedBy(account: Account | undefined, path: string): Promise<string> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  if (account) await chown(path, account.uid, account.gid);
  return path;
}

/** Whether the account may enter `path` and every folder above it. */
export async function canEnter(path: string, account: Account): Promise<boolean> {
  for (let folder = path; ; folder = dirname(folder)) {
    const { mode, uid, gid } = await stat(folder);
    const bit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}
