import { constants } from 'node:fs';
import { chown, mkdir, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Account, commandAccount } from '../accounts.ts';
import type { Config } from '../config/settings.ts';
import {
  type Command,
  entriesOfClosed,
  firstInaccessibleFolder,
  isFolder,
  isOfRoot,
  isOpenTo,
  namedPaths,
} from './places.ts';
import { type ProbeResult, probe, SelfTestIncomplete } from './probe.ts';
import { requireCommand } from './tools.ts';
import { shortfalls, type Wrapped, wrap } from './wrap.ts';

/** How strongly commands are isolated from the machine, strongest first. */
export type Level = 'namespaces' | 'own user' | 'limits only' | 'none';

export interface Reached {
  level: Level;
  /** The effect of the level, in a sentence. */
  detail: string;
  /** Steps to reach a stronger level. Empty at the strongest. */
  missing: string[];
}

/** Arguments for `spawn`. */
export interface Launch {
  command: string;
  args: string[];
  env: Record<string, string>;
  /** The user to spawn as, unless a wrapper program switches users. */
  account: Account | undefined;
  /** Whether the processes run in their own namespaces, below two processes of bwrap. */
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
  /** The command sees program files only, and may change these folders. */
  confinedTo?: readonly string[];
  network?: 'shared';
}

/** The operator's settings do not allow the command to start. */
export class NotConfined extends Error {}

/** Isolates commands from the service and from each other, as far as this machine allows. */
export class Confinement {
  private readonly settings: ConfinementSettings;
  private readonly selfTest: typeof probe;
  /** The user that commands run as, if not the user of the service. */
  readonly user: Account | undefined;
  private probed: Promise<ProbeResult> | undefined;
  private home: Promise<void> | undefined;
  private openHome: Promise<string> | undefined;
  /** Known after the first self-test. */
  level: Level | undefined;

  /** Throws if commands cannot run as the configured user. */
  constructor(settings: ConfinementSettings, selfTest: typeof probe = probe) {
    this.settings = settings;
    this.selfTest = selfTest;
    const account = commandAccount(settings.commandUser);
    this.user = account && { ...account, home: homeFor(account, settings.dataDir) };
  }

  /** Builds the arguments to start a command. Throws the error with which starting it would fail. */
  async launch(asked: Command, exceptions: Exceptions = {}): Promise<Launch> {
    const { user } = this;
    if (user) await (this.home ??= this.makeHome(user));
    const { facilities } = await this.selfTestResult();
    const command = await this.atHome(asked, facilities.namespaces && this.settings.confine !== 'off');
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
    if (user) requireReach(user, command, facilities.namespaces);
    const { args, env } = wrap(command, facilities, this.wrapped(exceptions));
    const [program = '', ...rest] = args;
    const account = facilities.tools.setpriv === undefined ? user : undefined;
    return { command: program, args: rest, env: { ...env }, account, namespaces: facilities.namespaces };
  }

  /** The isolation level of commands on this machine. */
  async reached(): Promise<Reached> {
    const reached =
      this.settings.confine === 'off' ? switchedOff(this.user) : this.describe(await this.selfTestResult());
    this.level = reached.level;
    return reached;
  }

  /** A self-test without a result is repeated for the next command. Without a result, no command is started. */
  private selfTestResult(): Promise<ProbeResult> {
    this.probed ??= this.selfTest(this.wrapped({})).catch((error: unknown) => {
      this.probed = undefined;
      if (!(error instanceof SelfTestIncomplete)) throw error;
      throw new NotConfined(`${error.message}. It is repeated before the next command starts`);
    });
    return this.probed;
  }

  /** A folder in the data directory, where other users cannot replace it. */
  private async makeHome({ uid, gid, home }: Account): Promise<void> {
    if (home !== ownHome(uid, this.settings.dataDir)) return;
    await mkdir(home, { recursive: true, mode: 0o700 });
    await chown(home, uid, gid);
  }

  /** Without namespaces, commands cannot enter the data directory and the home folder in it. */
  private async atHome(command: Command, namespaces: boolean): Promise<Command> {
    const { user } = this;
    if (!user || namespaces || command.env['HOME'] !== user.home) return command;
    if (firstInaccessibleFolder(user.home, user) === undefined) return command;
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

  private describe({ facilities, problem, broken }: ProbeResult): Reached {
    const { user } = this;
    const missing = [
      ...(facilities.tools.prlimit || process.platform !== 'linux'
        ? []
        : ['Install util-linux, for prlimit']),
      ...shortfalls(facilities, this.wrapped({})),
      ...(facilities.root && !user ? ['Commands run as root. Set DRYDOCK_COMMAND_USER to another user'] : []),
    ];
    if (facilities.namespaces && broken.length === 0)
      return { level: 'namespaces', detail: 'commands see neither the service nor its files', missing };
    const reason = facilities.namespaces
      ? `namespaces do not hold here: ${broken.join(', ')}`
      : `there are no namespaces here: ${problem}`;
    missing.unshift(facilities.namespaces ? 'Run the service on another machine' : remedy(problem));
    if (user) return { level: 'own user', detail: `${reason}; commands run as user ${user.name}`, missing };
    if (facilities.tools.prlimit)
      return { level: 'limits only', detail: `${reason}; commands can read what the service can`, missing };
    return { level: 'none', detail: `${reason}; commands have the permissions of the service`, missing };
  }
}

function switchedOff(user: Account | undefined): Reached {
  const missing = ['Set DRYDOCK_CONFINE=auto'];
  if (user)
    return { level: 'own user', detail: `DRYDOCK_CONFINE is off; commands run as ${user.name}`, missing };
  return {
    level: 'none',
    detail: 'DRYDOCK_CONFINE is off; commands have the permissions of the service',
    missing,
  };
}

function remedy(problem: string | undefined): string {
  if (process.platform !== 'linux') return 'Run the service on Linux, or in a container';
  if (problem === 'bwrap is not installed') return 'Install bubblewrap (apt-get install bubblewrap)';
  return /^(?:bwrap|unshare):/.test(problem ?? '')
    ? 'Allow user namespaces to the user of the service, or, in a container, the capability SYS_ADMIN and an unmasked /proc'
    : `The program that starts commands fails on this machine: ${problem}`;
}

/** The home folder of the account if it has one, otherwise one in the data directory. */
function homeFor({ uid, home }: Account, dataDir: string): string {
  return home !== '/' && isFolder(home) ? home : ownHome(uid, dataDir);
}

function ownHome(uid: number, dataDir: string): string {
  return join(dataDir, `commands-${uid}`);
}

/** A home folder in the temporary directory. Only root or the user itself can own such a folder there. */
async function makeOpenHome({ uid, gid }: Account): Promise<string> {
  const home = join(tmpdir(), `drydock-commands-${uid}`);
  const problem = new NotConfined(`The home folder of commands, ${home}, belongs to another user. Remove it`);
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

/** Throws for the first path in the command line that the user may not read. */
function requireReach(user: Account, { command, args }: Command, namespaces: boolean): void {
  for (const path of namedPaths([command, ...args])) {
    const closed = closedTo(user, path, namespaces);
    if (closed === undefined) continue;
    const way = namespaces || closed === path ? '' : 'install bubblewrap, ';
    throw new NotConfined(
      `Commands run as user ${user.name}, who cannot read ${closed}. Make it readable, ${way}move ${path}, or set DRYDOCK_COMMAND_USER to a user who can read it`,
    );
  }
}

/** The first path component that the user cannot enter or read. In namespaces, root-owned folders do not count. */
function closedTo(user: Account, path: string, namespaces: boolean): string | undefined {
  const folder = isFolder(path) ? path : dirname(path);
  const given = namespaces ? entriesOfClosed(folder, user) : undefined;
  if (given?.length === 0) return folder;
  if (given && path === folder) return undefined;
  // In namespaces, folders of root can be passed.
  const onTheWay = firstInaccessibleFolder(path, user, namespaces ? (one) => !isOfRoot(one) : undefined);
  return onTheWay ?? (isOpenTo(path, user) ? undefined : path);
}

/** Determines the isolation level without starting a command. */
export function confinementReached(config: Config): Promise<Reached> {
  return new Confinement(config).reached();
}
