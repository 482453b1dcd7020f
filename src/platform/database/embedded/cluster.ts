import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { OperatorProblem } from '../../problem.ts';
import { type Binaries, isAlive, isLeftover } from './binaries.ts';
import { existingHome, type Home } from './home.ts';

/** Milliseconds to wait for a server that replays its log after a crash before it accepts connections. */
const recoveryTimeout = 600_000;

interface Starting {
  /** Why the process exited, once it has. */
  failed: () => string | undefined;
}

/** A PostgreSQL cluster in the data directory: created once, started or adopted, stopped. */
export class Cluster {
  readonly socketDir: string;
  private readonly dataDir: string;
  private readonly logFile: string;
  private readonly home: Home;
  private readonly binaries: Binaries;
  private readonly temporary: boolean;
  private starting: Starting | undefined;

  /** A temporary cluster is not durable. */
  constructor(home: Home, binaries: Binaries, { temporary = false } = {}) {
    this.home = home;
    this.binaries = binaries;
    this.temporary = temporary;
    this.dataDir = join(home.path, 'data');
    this.logFile = join(home.path, 'postgres.log');
    this.socketDir = socketDirFor(home.path);
  }

  async create(): Promise<void> {
    await this.makeOwned(this.socketDir);
    await this.sweep();
    const version = await readFile(join(this.dataDir, 'PG_VERSION'), 'utf8').catch(() => undefined);
    if (version === undefined) return this.initialize();
    if (version.trim() !== this.binaries.major)
      throw new OperatorProblem(
        `The data directory was made by PostgreSQL ${version.trim()} and this Drydock ships ${this.binaries.major}. Make a backup with the Drydock that made it and restore it into a new data directory`,
      );
  }

  /** Made aside and renamed, so that a half-made cluster is never taken for a whole one. */
  private async initialize(): Promise<void> {
    const staging = join(this.home.path, `init-${process.pid}`);
    await this.makeOwned(staging);
    const flags = [
      '-D',
      staging,
      '-U',
      'drydock',
      '-E',
      'UTF8',
      '--locale=C',
      '--auth=trust',
      '--no-instructions',
      ...(this.temporary ? ['--no-sync'] : []),
    ];
    const child = spawn(this.binaries.initdb, flags, {
      ...this.home.account,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let complaint = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text));
    const failure = new Promise<string>((resolve) => child.once('error', (error) => resolve(error.message)));
    const outcome = await Promise.race([once(child, 'close').then(([code]) => code as number), failure]);
    if (outcome !== 0) {
      await rm(staging, { recursive: true, force: true });
      throw new OperatorProblem(`PostgreSQL could not create a database: ${lastLine(complaint) || outcome}`);
    }
    await rename(staging, this.dataDir).catch(async (error: NodeJS.ErrnoException) => {
      // Another process created the cluster first; use that one.
      await rm(staging, { recursive: true, force: true });
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  }

  /** Starts the server if it certainly does not run, without waiting for it. */
  async startEarly(): Promise<void> {
    const pid = await this.postmaster();
    if (pid === undefined || !isAlive(pid)) this.starting = await this.start();
  }

  /** Connects to the server, after starting it if necessary. */
  async connect(timeout = 30_000): Promise<pg.Client> {
    const began = Date.now();
    let { starting } = this;
    this.starting = undefined;
    for (;;) {
      const answer = await this.tryConnect();
      if (answer instanceof pg.Client) return answer;
      const waited = Date.now() - began;
      if (waited > (answer === 'recovering' ? recoveryTimeout : timeout))
        throw new OperatorProblem(
          `PostgreSQL did not become ready in ${Math.round(waited / 1000)} s (log: ${this.logFile})`,
        );
      if (answer === 'absent') starting = await this.startUnlessComing(starting, waited);
      await delay(10);
    }
  }

  private async startUnlessComing(
    starting: Starting | undefined,
    waited: number,
  ): Promise<Starting | undefined> {
    const failure = starting?.failed();
    if (starting && failure === undefined) return starting;
    // Backends of a killed server hold its shared memory for a moment; any other refusal is final.
    if (failure !== undefined && !/shared memory|lock file/.test(failure))
      throw new OperatorProblem(`PostgreSQL does not start: ${failure} (log: ${this.logFile})`);
    const pid = await this.postmaster();
    // The process with the recorded ID may be an unrelated one that got the same ID, so the wait is limited.
    if (pid !== undefined && isAlive(pid) && waited < 3_000) return undefined;
    return this.start();
  }

  private async tryConnect(): Promise<pg.Client | 'recovering' | 'absent'> {
    const client = new pg.Client({
      ...this.connection('postgres'),
      application_name: `drydock ${process.pid}`,
    });
    client.on('error', () => {});
    try {
      await client.connect();
      return client;
    } catch (error) {
      await client.end().catch(() => {});
      return (error as { code?: string }).code === '57P03' ? 'recovering' : 'absent';
    }
  }

  connection(database: string): { host: string; user: string; database: string } {
    return { host: this.socketDir, user: 'drydock', database };
  }

  private async start(): Promise<Starting> {
    const log = await open(this.logFile, 'a');
    if (this.home.account) await log.chown(this.home.account.uid, this.home.account.gid);
    const from = (await log.stat()).size;
    const flags = [
      '-D',
      this.dataDir,
      '-k',
      this.socketDir,
      ...[...serverSettings, ...(this.temporary ? notDurable : [])].flatMap((value) => ['-c', value]),
    ];
    // Detached, so that Ctrl-C reaches only this process, which stops the database after the last request.
    const child = spawn(this.binaries.postgres, flags, {
      ...this.home.account,
      cwd: this.home.path,
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    child.unref();
    let ended: string | undefined;
    child.once('error', (error) => (ended = error.message));
    child.once('exit', () => void this.complaintSince(from).then((text) => (ended ??= text)));
    await log.close();
    return { failed: () => ended };
  }

  private async complaintSince(offset: number): Promise<string> {
    const log = await readFile(this.logFile).catch(() => Buffer.alloc(0));
    const text = log.subarray(offset).toString('utf8');
    const fatal = text.split('\n').filter((line) => /FATAL|PANIC/.test(line));
    return (
      fatal.at(-1)?.replace(/^.*(?:FATAL|PANIC):\s*/, '') ?? (lastLine(text) || 'it ended without a message')
    );
  }

  /** The process ID in the cluster's pid file, whether or not that process runs. */
  async postmaster(): Promise<number | undefined> {
    const file = await readFile(join(this.dataDir, 'postmaster.pid'), 'utf8').catch(() => '');
    const pid = Number(file.split('\n')[0]);
    return pid > 0 ? pid : undefined;
  }

  /**
   * Requests a fast shutdown. If it takes too long, or the database is temporary, requests an immediate one, after
   * which the next start recovers.
   */
  async stop(timeout = 10_000): Promise<void> {
    const pid = await this.postmaster();
    if (pid === undefined || !isAlive(pid)) return;
    const fast = this.temporary ? [] : [['SIGINT', timeout] as const];
    for (const [signal, wait] of [...fast, ['SIGQUIT', 5_000] as const]) {
      process.kill(pid, signal);
      const deadline = Date.now() + wait;
      while (Date.now() < deadline) {
        if ((await this.postmaster()) !== pid || !isAlive(pid)) return;
        await delay(10);
      }
    }
  }

  private async makeOwned(path: string): Promise<void> {
    await mkdir(path, { recursive: true, mode: 0o700 });
    if (this.home.account) await chown(path, this.home.account.uid, this.home.account.gid);
  }

  private async sweep(): Promise<void> {
    for (const name of await readdir(this.home.path))
      if (isLeftover(name)) await rm(join(this.home.path, name), { recursive: true, force: true });
  }
}

const serverSettings = [
  'listen_addresses=',
  'unix_socket_permissions=0700',
  'max_connections=120',
  'shared_buffers=64MB',
  'jit=off',
  'timezone=UTC',
  'log_timezone=UTC',
  'logging_collector=off',
];

/** Settings of a temporary cluster. */
const notDurable = ['fsync=off', 'full_page_writes=off', 'synchronous_commit=off', 'autovacuum=off'];

/** The address of a data directory's database; undefined without a database, which is not created. */
export async function addressOfExisting(
  dataDir: string,
): Promise<{ host: string; user: string; database: string } | undefined> {
  const home = await existingHome(dataDir);
  if (!existsSync(join(home, 'data', 'PG_VERSION'))) return undefined;
  return { host: socketDirFor(home), user: 'drydock', database: 'drydock' };
}

/** The path of a Unix socket is limited to about 100 bytes; a deep data directory gets its socket in /tmp. */
export function socketDirFor(home: string): string {
  const inside = join(home, 'run');
  if (Buffer.byteLength(`${inside}/.s.PGSQL.5432`) <= 100) return inside;
  return join(tmpdir(), `drydock-${createHash('sha256').update(home).digest('hex').slice(0, 16)}`);
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}
