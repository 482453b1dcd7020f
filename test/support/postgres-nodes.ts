import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { prepareBinaries } from '../../src/platform/database/embedded/binaries.ts';
import { findHome, type Home } from '../../src/platform/database/embedded/home.ts';
import { freePort } from './free-port.ts';

const user = 'drydock';
const run = promisify(execFile);

/** One PostgreSQL server on loopback that can be stopped, killed, frozen and promoted. */
export class PostgresNode {
  readonly port: number;
  readonly dataDir: string;
  private readonly home: Home;
  private readonly postgres: string;
  private child: ChildProcess | undefined;

  constructor(options: { port: number; dataDir: string; home: Home; postgres: string }) {
    this.port = options.port;
    this.dataDir = options.dataDir;
    this.home = options.home;
    this.postgres = options.postgres;
  }

  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  url(database = user): string {
    return `postgres://${user}@${this.host}/${database}`;
  }

  /** Starts again until it answers: after a crash PostgreSQL refuses to start while backends of before are ending. */
  async start(): Promise<void> {
    for (const until = Date.now() + 30_000; ; await delay(50)) {
      const ended = await this.spawn();
      if (ended === undefined) return;
      if (Date.now() > until) throw new Error(`PostgreSQL ended as soon as it was started: ${ended}`);
    }
  }

  /** Resolves when it answers, or with what it said if it ended before. */
  private async spawn(): Promise<string | undefined> {
    const settings = [
      'listen_addresses=127.0.0.1',
      `port=${this.port}`,
      'unix_socket_directories=',
      'max_connections=200',
      'shared_buffers=64MB',
      'jit=off',
      // Promotion and restarts are what is tested, not the disk.
      'fsync=off',
      'wal_level=replica',
      'hot_standby=on',
      'wal_sender_timeout=5s',
      'wal_receiver_timeout=5s',
      'wal_retrieve_retry_interval=100ms',
      'max_wal_size=256MB',
    ];
    this.child = spawn(this.postgres, ['-D', this.dataDir, ...settings.flatMap((one) => ['-c', one])], {
      ...this.home.account,
      cwd: this.home.path,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const { child } = this;
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => (said = `${said}${chunk.toString()}`.slice(-2_000)));
    const ended = once(child, 'exit').then(() => said || 'it said nothing');
    return Promise.race([this.answers().then(() => undefined), ended]);
  }

  /** Resolves when it takes connections. */
  async answers(): Promise<void> {
    for (const until = Date.now() + 60_000; Date.now() < until; await delay(20)) {
      const client = await this.connect('postgres').catch(() => undefined);
      if (client) return client.end();
    }
    throw new Error('PostgreSQL does not answer');
  }

  async connect(database = user): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.url(database), connectionTimeoutMillis: 5_000 });
    client.on('error', () => {});
    await client.connect();
    return client;
  }

  async ask<T extends pg.QueryResultRow>(sql: string, database = user): Promise<T[]> {
    const client = await this.connect(database);
    try {
      return (await client.query<T>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.child?.kill(signal);
  }

  /** Ends it: SIGINT is a fast stop, SIGKILL a crash. */
  async stop(signal: NodeJS.Signals = 'SIGINT'): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, 'exit');
  }

  async promote(): Promise<void> {
    await this.ask('select pg_promote(true, 30)', 'postgres');
  }
}

export interface Nodes {
  primary: PostgresNode;
  standby: PostgresNode;
  /** Both, as an operator writes them. */
  url: string;
  /** Whether commits wait for the standby. */
  confirm(synchronous: boolean): Promise<void>;
  /** The folder in which they live; what runs as their user may write there. */
  folder: string;
  end(): Promise<void>;
}

/** Servers that are not started yet; the first has its files. */
async function nodesNamed(
  ...names: string[]
): Promise<{ nodes: PostgresNode[]; home: Home; end: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'drydock-nodes-'));
  await chmod(folder, 0o711);
  const home = await findHome(folder);
  const { initdb, postgres } = await prepareBinaries(home);
  const nodes: PostgresNode[] = [];
  for (const name of names)
    nodes.push(new PostgresNode({ port: await freePort(), dataDir: join(home.path, name), home, postgres }));
  const { dataDir } = nodes[0] as PostgresNode;
  await mkdir(dataDir, { mode: 0o700 });
  if (home.account) await chown(dataDir, home.account.uid, home.account.gid);
  const made = ['-D', dataDir, '-U', user, '-E', 'UTF8', '--locale=C', '--auth=trust', '--no-sync'];
  await run(initdb, made, { ...home.account });
  const end = async (): Promise<void> => {
    for (const node of nodes) await node.stop('SIGKILL');
    await rm(folder, { recursive: true, force: true });
    await rm(home.path, { recursive: true, force: true });
  };
  return { nodes, home, end };
}

/** One server with an empty database, which can be restarted. */
export async function startNode(): Promise<{ node: PostgresNode; end: () => Promise<void> }> {
  const { nodes, end } = await nodesNamed('one');
  const [node] = nodes as [PostgresNode];
  try {
    await node.start();
    await node.ask(`create database ${user}`, 'postgres');
  } catch (error) {
    await end();
    throw error;
  }
  return { node, end };
}

/** A primary with a standby that follows it. */
export async function startNodes(): Promise<Nodes> {
  const { nodes, home, end } = await nodesNamed('one', 'two');
  const [primary, standby] = nodes as [PostgresNode, PostgresNode];
  try {
    await primary.start();
    await primary.ask(`create database ${user}`, 'postgres');
    await primary.stop();
    await follow(standby, primary, home);
    await primary.start();
    await standby.start();
  } catch (error) {
    await end();
    throw error;
  }
  const confirm = async (synchronous: boolean): Promise<void> => {
    const names = synchronous ? "'*'" : "''";
    await primary.ask(`alter system set synchronous_standby_names = ${names}`);
    await primary.ask('select pg_reload_conf()');
    const wanted = synchronous ? 'sync' : 'async';
    const state = async () =>
      (await primary.ask<{ s: string }>('select sync_state as s from pg_stat_replication'))[0]?.s;
    for (const until = Date.now() + 30_000; (await state()) !== wanted; await delay(20))
      if (Date.now() > until) throw new Error(`The standby is not ${wanted}`);
  };
  const url = `postgres://${user}@${primary.host},${standby.host}/${user}`;
  return { primary, standby, url, confirm, folder: home.path, end };
}

/** Makes one a standby of another, which is stopped: no tool for it comes with the server. */
async function follow(standby: PostgresNode, primary: PostgresNode, home: Home): Promise<void> {
  await run('cp', ['-a', primary.dataDir, standby.dataDir]);
  const signal = join(standby.dataDir, 'standby.signal');
  await writeFile(signal, '');
  if (home.account) await chown(signal, home.account.uid, home.account.gid);
  const [host, port] = primary.host.split(':');
  const conninfo = `host=${host} port=${port} user=${user} application_name=standby`;
  await appendFile(join(standby.dataDir, 'postgresql.auto.conf'), `primary_conninfo = '${conninfo}'\n`);
}
