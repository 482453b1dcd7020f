import { stat } from 'node:fs/promises';
import { type Account, lookUpAccount, runsAsRoot } from '../../accounts.ts';
import { OperatorProblem } from '../../problem.ts';

/**
 * The unprivileged account for PostgreSQL, which refuses to run as root: the owner of an existing cluster, otherwise
 * `nobody`. Undefined if the service is not root: then the database runs as the same user.
 */
export async function accountForDatabase(
  clusterDir: string,
): Promise<Pick<Account, 'uid' | 'gid'> | undefined> {
  if (!runsAsRoot()) return undefined;
  const owner = await stat(clusterDir).catch(() => undefined);
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const account = lookUpAccount('nobody');
  if (!account)
    throw new OperatorProblem(
      'Running as root needs a user `nobody` for the database; start as another user',
    );
  return account;
}
