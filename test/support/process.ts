import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { inject, onTestFinished } from 'vitest';

export const program = new URL('../../dist/program/main.js', import.meta.url).pathname;

export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** The built program in a separate process, as a user runs it. */
export class Drydock {
  readonly child: ChildProcess;
  stdout = '';
  stderr = '';
  private readonly closed: Promise<unknown>;

  constructor(args: string[], env: Record<string, string>, { entry = program, cwd = '.' } = {}) {
    const inherited = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/^DRYDOCK_|_API_KEY$/.test(name)),
    );
    this.child = spawn(process.execPath, [entry, ...args], {
      cwd,
      env: { ...inherited, XDG_CONFIG_HOME: '/nonexistent', ...env },
    });
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.closed = once(this.child, 'close');
  }

  /** Resolves when the startup banner is complete. */
  ready(): Promise<this> {
    return this.said(/ready\n[\s\S]*Docs/);
  }

  /** Resolves when this has been printed; rejects when the process ends instead. */
  async said(pattern: RegExp): Promise<this> {
    const printed = new Promise<void>((resolve) => {
      const look = (): void => {
        if (pattern.test(this.stdout)) resolve();
      };
      this.child.stdout?.on('data', look);
      look();
    });
    await Promise.race([
      printed,
      this.closed.then(() => {
        throw new Error(`drydock ended: ${this.stderr || this.stdout}`);
      }),
    ]);
    return this;
  }

  get baseUrl(): string {
    return /API +(\S+)/.exec(this.stdout)?.[1] as string;
  }

  get key(): string | undefined {
    return /Key +(sk_\S+)/.exec(this.stdout)?.[1];
  }

  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<Outcome> {
    this.child.kill(signal);
    return this.outcome();
  }

  async outcome(): Promise<Outcome> {
    await this.closed;
    return { code: this.child.exitCode, stdout: this.stdout, stderr: this.stderr };
  }
}

/** A command against the database of a running service. */
export function commandFor(service: {
  database: { url: string };
  running: { services: { config: { dataDir: string } } };
}): (...args: string[]) => Promise<Outcome> {
  return (...args) => {
    const { dataDir } = service.running.services.config;
    const env = { DRYDOCK_DATABASE_URL: service.database.url, DRYDOCK_DATA_DIR: dataDir };
    return new Drydock(args, env).outcome();
  };
}

export type AtEnd = (end: () => Promise<void>) => void;

export interface Place {
  dataDir: string;
  env: Record<string, string>;
  serve(env?: Record<string, string>): Promise<Drydock>;
  run(args: string[], env?: Record<string, string>): Promise<Outcome>;
}

/** A data directory whose database has its tables, because creating them takes longer than most tests. */
export async function newDataDir(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'drydock-place-'));
  await promisify(execFile)('cp', ['-a', '--sparse=always', `${inject('newDataDir')}/.`, folder]);
  return folder;
}

/**
 * A new data directory: starting in it is a first boot, except that the database exists. Processes that still
 * run in it are ended with the test, or when `atEnd` says.
 */
export async function place(dataDir?: string, atEnd: AtEnd = onTestFinished): Promise<Place> {
  const folder = dataDir ?? (await newDataDir());
  const env = { DRYDOCK_DATA_DIR: folder, DRYDOCK_PORT: '0', DRYDOCK_RATE_LIMIT: 'off' };
  const started: Drydock[] = [];
  const start = (args: string[], extra: Record<string, string> = {}): Drydock => {
    const drydock = new Drydock(args, { ...env, ...extra });
    started.push(drydock);
    return drydock;
  };
  atEnd(async () => {
    for (const { child } of started) child.kill('SIGKILL');
    await endDatabase(folder, 'SIGQUIT');
    await chmod(folder, 0o700).catch(() => {});
    const home = databaseHome(folder);
    await rm(folder, { recursive: true, force: true });
    await rm(home, { recursive: true, force: true });
  });
  return {
    dataDir: folder,
    env,
    serve: (extra) => start(['serve'], extra).ready(),
    run: (args, extra) => start(args, extra).outcome(),
  };
}

/** An empty folder, for refusals that come before a database is needed. */
export async function emptyPlace(): Promise<Place> {
  return place(await mkdtemp(join(tmpdir(), 'drydock-place-')));
}

export function databaseHome(dataDir: string): string {
  const pointer = join(dataDir, 'database-home');
  return existsSync(pointer) ? readFileSync(pointer, 'utf8').trim() : join(dataDir, 'postgres');
}

export async function databasePid(dataDir: string): Promise<number | undefined> {
  const file = await readFile(join(databaseHome(dataDir), 'data/postmaster.pid'), 'utf8').catch(() => '');
  return Number(file.split('\n')[0]) || undefined;
}

/** Ends the embedded server of a data directory and waits until it is gone. */
export async function endDatabase(dataDir: string, signal: NodeJS.Signals): Promise<void> {
  const pid = await databasePid(dataDir);
  if (pid === undefined) return;
  try {
    process.kill(pid, signal);
    for (let tries = 0; tries < 500; tries++) {
      process.kill(pid, 0);
      await delay(10);
    }
  } catch {
    // Gone.
  }
}
