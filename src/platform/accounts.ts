import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { OperatorProblem } from './problem.ts';

/** A user of this machine, as processes know it. */
export interface Account {
  uid: number;
  gid: number;
  name: string;
  home: string;
}

/** By name or number. */
export function lookUpAccount(user: string): Account | undefined {
  const entries = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const entry = entries.find(([name]) => name === user) ?? entries.find(([, , uid]) => uid === user);
  const [name, , uid, gid, , home] = entry ?? [];
  return name && uid && gid
    ? { uid: Number(uid), gid: Number(gid), name, home: home || '/' }
    : accountInDirectory(user);
}

/** Users that are kept elsewhere than in the file, as on macOS. */
function accountInDirectory(user: string): Account | undefined {
  const ask = (what: string): number =>
    Number(execFileSync('id', [what, user], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  try {
    return { uid: ask('-u'), gid: ask('-g'), name: user, home: '/' };
  } catch {
    return undefined;
  }
}

export function runsAsRoot(): boolean {
  return process.getuid?.() === 0;
}

/** Whom the commands of stdio servers run as; undefined when as the service. */
export function commandAccount(user: string | undefined): Account | undefined {
  if (user === undefined) return undefined;
  if (!runsAsRoot())
    throw new OperatorProblem(
      'DRYDOCK_COMMAND_USER works only when the service runs as root: no other user may start processes as somebody else',
    );
  const account = lookUpAccount(user);
  if (!account) throw new OperatorProblem(`DRYDOCK_COMMAND_USER: there is no user ${user} on this machine`);
  return account;
}
