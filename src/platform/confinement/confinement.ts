import { constants } from 'node:fs';
import { chown, mkdir, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Account, commandAccount } from '../accounts.ts';
import type { Config } from '../config/settings.ts';
import {
  type Command,
  closedOnTheWay,
  entriesOfClosed,
  isFolder,
  isOfRoot,
  isOpenTo,
  namedPaths,
} from './places.ts';
import { type Probed, probe, SelfTestIncomplete } from './probe.ts';
import { requireCommand } from './tools.ts';
import { shortfalls, type Wrapped, wrap } from './wrap.ts';

/** How far commands are kept from the rest of the machine, the furthest first. */
export type Level = 'namespaces' | 'own user' | 'limits only' | 'none';

export interface Reached {
  level: Level;
  /** What that means here, in a sentence. */
  detail: string;
  /** What to do to get further; empty when there is nothing further. */
  missing: string[];
}

/** What to hand to `spawn`. */
export interface Launch {
  command: string;
  args: string[];
  env: Record<string, string>;
  /** As whom, when nothing in front of the command sees to it. */
  account: Account | undefined;
  /** Whether its processes are in a namespace of their own, below two processes of bwrap. */
  namespaces: boolean;
}

export type ConfinementSettings = Pick<
  Config,
  | 'confine'
  | 'commandNetwork'
  | 'commandFiles'
  | 'commandHidden'
  | 'commandUser'
  | 'commandMemory'
  | 'commandProcesses'
  | 'warmProcesses'
  | 'dataDir'
  | 'blobsUrl'
  | 'modelsFile'
  | 'tlsKey'
  | 'databaseUrl'
  | 'databaseDirectUrl'
>;

interface Exceptions {
  /** It sees the files of programs only, and may change these folders. */
  confinedTo?: readonly string[];
  network?: 'shared';
}

/** Starting a command was refused by the operator's settings. */
export class NotConfined extends Error {}

/** Keeps commands apart from the service and from each other, as far as this machine allows. */
export class Confinement {
  private readonly settings: ConfinementSettings;
  private readonly selfTest: typeof probe;
  /** Whom commands run as, when not as the service. */
  readonly user: Account | undefined;
  private probed: Promise<Probed> | undefined;
  private home: Promise<void> | undefined;
  private openHome: Promise<string> | undefined;
  /** Once it is known. */
  level: Level | undefined;

  /** Throws when the operator named a user that commands cannot run as. */
  constructor(settings: ConfinementSettings, selfTest: typeof probe = probe) {
    this.settings = settings;
    this.selfTest = selfTest;
    const account = commandAccount(settings.commandUser);
    this.user = account && { ...account, home: homeFor(account, settings.dataDir) };
  }

  /** How the command is started. Throws what starting it would fail with. */
  async launch(asked: Command, exceptions: Exceptions = {}): Promise<Launch> {
    const { user } = this;
    if (user) await (this.home ??= this.makeHome(user));
    const { means } = await this.look();
    const command = await this.atHome(asked, means.namespaces && this.settings.confine !== 'off');
    const { level, detail, missing } = await this.reached();
    if (this.settings.confine === 'require' && level !== 'namespaces' && !exceptions.confinedTo)
      throw new NotConfined(
        `DRYDOCK_CONFINE=require allows commands only in namespaces of their own, and ${detail}. ${missing.join('. ')}`,
      );
    if (this.settings.confine === 'off' || level === 'none') {
      if (user) requireReach(user, command, false);
      return {
        ...command,
        args: [...command.args],
        env: { ...command.env },
        account: user,
        namespaces: false,
      };
    }
    requireCommand(command.command, command.env['PATH']);
    if (user) requireReach(user, command, means.namespaces);
    const { args, env } = wrap(command, means, this.wrapped(exceptions));
    const [program = '', ...rest] = args;
    const account = means.tools.setpriv === undefined ? user : undefined;
    return { command: program, args: rest, env: { ...env }, account, namespaces: means.namespaces };
  }

  /** The level that commands have here. */
  async reached(): Promise<Reached> {
    const reached =
      this.settings.confine === 'off' ? switchedOff(this.user) : this.describe(await this.look());
    this.level = reached.level;
    return reached;
  }

  /** A self-test without a result is repeated for the next command; until there is one, no command is started. */
  private look(): Promise<Probed> {
    this.probed ??= this.selfTest(this.wrapped({})).catch((error: unknown) => {
      this.probed = undefined;
      if (!(error instanceof SelfTestIncomplete)) throw error;
      throw new NotConfined(`${error.message}. It is repeated before the next command starts`);
    });
    return this.probed;
  }

  /** A folder of the data directory, which nobody but us can put something else in the place of. */
  private async makeHome({ uid, gid, home }: Account): Promise<void> {
    if (home !== ownHome(uid, this.settings.dataDir)) return;
    await mkdir(home, { recursive: true, mode: 0o700 });
    await chown(home, uid, gid);
  }

  /** Without namespaces, commands cannot enter the data directory and the home folder in it. */
  private async atHome(command: Command, namespaces: boolean): Promise<Command> {
    const { user } = this;
    if (!user || namespaces || command.env['HOME'] !== user.home) return command;
    if (closedOnTheWay(user.home, user) === undefined) return command;
    this.openHome ??= makeOpenHome(user).catch((error: unknown) => {
      // Retried at the next start: the obstacle may have been removed.
      this.openHome = undefined;
      throw error;
    });
    const home = await this.openHome;
    return { ...command, env: { ...command.env, HOME: home } };
  }

  private wrapped({ confinedTo, network }: Exceptions): Wrapped {
    const { settings, user } = this;
    return {
      user,
      network: network ?? settings.commandNetwork,
      view: {
        ...settings,
        files: confinedTo ? 'private' : settings.commandFiles,
        writable: confinedTo ?? [],
      },
      bounds: {
        memory: settings.commandMemory * 1024 * 1024,
        processes: settings.commandProcesses,
        commands: settings.warmProcesses,
      },
    };
  }

  private describe({ means, problem, broken }: Probed): Reached {
    const { user } = this;
    const missing = [
      ...(means.tools.prlimit || process.platform !== 'linux' ? [] : ['Install util-linux, for prlimit']),
      ...shortfalls(means, this.wrapped({})),
      ...(means.root && !user ? ['Commands run as root. Set DRYDOCK_COMMAND_USER to another user'] : []),
    ];
    if (means.namespaces && broken.length === 0)
      return { level: 'namespaces', detail: 'commands see neither the service nor its files', missing };
    const reason = means.namespaces
      ? `namespaces do not hold here: ${broken.join(', ')}`
      : `there are no namespaces here: ${problem}`;
    missing.unshift(means.namespaces ? 'Run the service on another machine' : remedy(problem));
    if (user) return { level: 'own user', detail: `${reason}; commands run as user ${user.name}`, missing };
    if (means.tools.prlimit)
      return { level: 'limits only', detail: `${reason}; commands can read what the service can`, missing };
    return { level: 'none', detail: `${reason}; commands may do what the service may`, missing };
  }
}

function switchedOff(user: Account | undefined): Reached {
  const missing = ['Set DRYDOCK_CONFINE=auto'];
  if (user)
    return { level: 'own user', detail: `DRYDOCK_CONFINE is off; commands run as ${user.name}`, missing };
  return { level: 'none', detail: 'DRYDOCK_CONFINE is off; commands may do what the service may', missing };
}

function remedy(problem: string | undefined): string {
  if (process.platform !== 'linux') return 'Run the service on Linux, or in a container';
  if (problem === 'bwrap is not installed') return 'Install bubblewrap (apt-get install bubblewrap)';
  return /^(?:bwrap|unshare):/.test(problem ?? '')
    ? 'Allow user namespaces to the user of the service, or, in a container, the capability SYS_ADMIN and an unmasked /proc'
    : `Commands are started through a program that fails here. Repair what it reports: ${problem}`;
}

/** That of the account where it has one, else one of ours. */
function homeFor({ uid, home }: Account, dataDir: string): string {
  return home !== '/' && isFolder(home) ? home : ownHome(uid, dataDir);
}

function ownHome(uid: number, dataDir: string): string {
  return join(dataDir, `commands-${uid}`);
}

/** A home folder in the temporary directory. Only root or the user itself can own a folder of theirs there. */
async function makeOpenHome({ uid, gid }: Account): Promise<string> {
  const home = join(tmpdir(), `drydock-commands-${uid}`);
  const problem = new NotConfined(
    `Commands would live in ${home}, which belongs to somebody else. Remove it`,
  );
  await mkdir(home, { recursive: true, mode: 0o700 });
  // Checked and chowned through the handle, so that replacing the path has no effect.
  const folder = await open(home, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW).catch(
    () => {
      throw problem;
    },
  );
  try {
    const { uid: owner } = await folder.stat();
    if (owner !== 0 && owner !== uid) throw problem;
    if (owner === 0) await folder.chown(uid, gid);
  } finally {
    await folder.close();
  }
  return home;
}

/** Throws for the first path in the command line that its user may not read. */
function requireReach(user: Account, { command, args }: Command, namespaces: boolean): void {
  for (const path of namedPaths([command, ...args])) {
    const closed = closedTo(user, path, namespaces);
    if (closed === undefined) continue;
    const way = namespaces || closed === path ? '' : 'install bubblewrap, ';
    throw new NotConfined(
      `Commands run as user ${user.name}, who may not read ${closed}. Let others read it, ${way}move ${path}, or set DRYDOCK_COMMAND_USER to a user who may`,
    );
  }
}

/** The first path component that the user cannot enter or read. In namespaces, root-owned folders do not count. */
function closedTo(user: Account, path: string, namespaces: boolean): string | undefined {
  const folder = isFolder(path) ? path : dirname(path);
  const given = namespaces ? entriesOfClosed(folder, user) : undefined;
  if (given?.length === 0) return folder;
  if (given && path === folder) return undefined;
  // In namespaces the way through folders of root is open.
  const onTheWay = closedOnTheWay(path, user, namespaces ? (one) => !isOfRoot(one) : undefined);
  return onTheWay ?? (isOpenTo(path, user) ? undefined : path);
}

/** For those who want to know and start nothing. */
export function confinementReached(config: Config): Promise<Reached> {
  return new Confinement(config).reached();
}
