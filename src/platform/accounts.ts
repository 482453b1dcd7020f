import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { OperatorProblem } from './problem.ts';

/** A user account of this machine. */
export interface Account {
  uid: number;
  gid: number;
  name: string;
  home: string;
}

/** Looks up a user by name or number. */
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

/** Looks up a user outside of /etc/passwd, such as in the directory service of macOS. */
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

/**
 * Dedicated users for processes that root starts, with numbers that neither distributions nor systemd assign. `nobody`
 * is not used: it runs the embedded database and could read its files.
 */
const own = { commands: 65_527, browsers: 65_528 } as const;

/** The dedicated user, which needs no entry in /etc/passwd. */
function ownAccount(kind: keyof typeof own): Account {
  const uid = own[kind];
  return lookUpAccount(String(uid)) ?? { uid, gid: uid, name: String(uid), home: '/' };
}

/** The user that browsers run as when the service is root. */
export function browserAccount(): Account {
  return ownAccount('browsers');
}

/**
 * The user that stdio servers run as, or undefined for the user of the service. Root starts them as an unprivileged
 * user, unless the operator configured `root` or the user namespace of the service maps no such user.
 */
export function commandAccount(user: string | undefined): Account | undefined {
  if (!runsAsRoot()) {
    if (user === undefined) return undefined;
    throw new OperatorProblem(
      'DRYDOCK_COMMAND_USER works only when the service runs as root: other users cannot start processes as a different user',
    );
  }
  if (user === 'root') return undefined;
  if (user === undefined) return canBecome(own.commands) ? ownAccount('commands') : undefined;
  const account = lookUpAccount(user);
  if (!account) throw new OperatorProblem(`DRYDOCK_COMMAND_USER: there is no user ${user} on this machine`);
  if (account.uid === 0)
    throw new OperatorProblem(
      `DRYDOCK_COMMAND_USER: ${user} is root. Write root if commands are to run as root, or name another user`,
    );
  return account;
}

/** Root can only switch to users that its user namespace maps. */
function canBecome(id: number): boolean {
  if (process.platform !== 'linux') return true;
  return ['uid_map', 'gid_map'].every((map) =>
    readFileSync(`/proc/self/${map}`, 'utf8')
      .trim()
      .split('\n')
      .some((line) => {
        const [first = 0, , count = 0] = line.trim().split(/\s+/).map(Number);
        return id >= first && id < first + count;
      }),
  );
}
