import { type Account, commandAccount } from '../accounts.ts';
import type { Config } from '../config/settings.ts';
import type { Command } from './mounts.ts';
import { type Probed, probe } from './probe.ts';
import { requireCommand } from './tools.ts';
import { type Wrapped, wrap } from './wrap.ts';

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
  | 'commandMemory'
  | 'commandProcesses'
  | 'warmProcesses'
  | 'dataDir'
  | 'blobsUrl'
  | 'modelsFile'
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
  readonly user: Account | undefined;
  private probed: Promise<Probed> | undefined;
  /** Once it is known. */
  level: Level | undefined;

  constructor(settings: ConfinementSettings, user: Account | undefined) {
    this.settings = settings;
    this.user = user;
  }

  /** How the command is started. Throws what starting it would fail with. */
  async launch(command: Command, exceptions: Exceptions = {}): Promise<Launch> {
    const user = exceptions.confinedTo ? undefined : this.user;
    const { means } = await this.look();
    const { level, detail, missing } = await this.reached();
    if (this.settings.confine === 'require' && level !== 'namespaces' && !exceptions.confinedTo)
      throw new NotConfined(
        `DRYDOCK_CONFINE=require allows commands only in namespaces of their own, and ${detail}. ${missing.join('. ')}`,
      );
    if (this.settings.confine === 'off' || level === 'none')
      return {
        ...command,
        args: [...command.args],
        env: { ...command.env },
        account: user,
        namespaces: false,
      };
    requireCommand(command.command, command.env['PATH']);
    const { args, env } = wrap(command, means, this.wrapped(user, exceptions));
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

  private look(): Promise<Probed> {
    this.probed ??= probe(this.wrapped(this.user, {}));
    return this.probed;
  }

  private wrapped(user: Account | undefined, { confinedTo, network }: Exceptions): Wrapped {
    const { settings } = this;
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

  private describe({ means, problem }: Probed): Reached {
    const { user } = this;
    const missing = [
      ...(means.tools.prlimit || process.platform !== 'linux' ? [] : ['Install util-linux, for prlimit']),
      ...(means.root && !user ? ['Set DRYDOCK_COMMAND_USER: root is not bounded in processes'] : []),
    ];
    if (means.namespaces)
      return { level: 'namespaces', detail: 'commands see neither the service nor its files', missing };
    const reason = `there are no namespaces here: ${problem}`;
    missing.unshift(remedy(problem));
    if (user) return { level: 'own user', detail: `${reason}; commands run as ${user.name}`, missing };
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
  return problem === 'bwrap is not installed'
    ? 'Install bubblewrap (apt-get install bubblewrap)'
    : 'Allow user namespaces to the user of the service, or, in a container, the capability SYS_ADMIN and an unmasked /proc';
}

/** For those who want to know and start nothing. */
export function confinementReached(config: Config): Promise<Reached> {
  return new Confinement(config, commandAccount(config.commandUser)).reached();
}
