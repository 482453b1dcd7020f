import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { OperatorProblem } from '../../problem.ts';

/** The unprivileged account PostgreSQL runs as when we are root; it refuses to run as root itself. */
export interface Account {
  uid: number;
  gid: number;
}

/** Undefined when we are not root: then the database simply runs as us. */
export async function accountForDatabase(clusterDir: string): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await stat(clusterDir).catch(() => undefined);
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const account = lookUp('nobody');
  if (!account)
    throw new OperatorProblem(
      'Running as root needs a user `nobody` for the database; start as another user',
    );
  return account;
}

function lookUp(name: string): Account | undefined {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  return uid && gid ? { uid: Number(uid), gid: Number(gid) } : undefined;
}
