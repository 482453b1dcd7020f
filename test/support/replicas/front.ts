import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** The path on Debian. */
const haproxy = '/usr/sbin/haproxy';
const shipped = new URL('../../../deploy/haproxy/haproxy.cfg', import.meta.url);

/** A request in the log of HAProxy. */
export interface Line {
  status: number;
  /** The server that answered or was tried last; `<NOSRV>` for none. */
  server: string;
  /** HAProxy's termination state. */
  ending: string;
  /** Duration in milliseconds. */
  took: number;
}

/** A message of HAProxy; `at` is in milliseconds of this process. */
export interface Notice {
  at: number;
  text: string;
}

/** HAProxy with the shipped configuration, in front of replicas at these ports. */
export class Front {
  readonly port: number;
  /** Log entries by the name that a caller gave its request. */
  readonly lines = new Map<string, Line>();
  /** Messages of HAProxy about itself and its servers. */
  readonly notices: Notice[] = [];
  private readonly folder: string;
  private readonly servers: Record<string, number>;
  private readonly up = new Map<string, boolean>();
  private changed = (): void => {};
  private child: ChildProcess | undefined;

  constructor(folder: string, port: number, servers: Record<string, number>) {
    this.folder = folder;
    this.port = port;
    this.servers = servers;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    const path = join(this.folder, 'haproxy.cfg');
    await writeFile(path, configured(await readFile(shipped, 'utf8'), this.port, this.servers));
    // HAProxy considers every server up until a check fails.
    for (const name of Object.keys(this.servers)) this.up.set(name, true);
    this.child = spawn(haproxy, ['-db', '-f', path], { stdio: ['ignore', 'pipe', 'pipe'] });
    const { stdout, stderr } = this.child;
    for (const stream of [stdout, stderr])
      if (stream) createInterface({ input: stream }).on('line', (line) => this.read(line));
    await this.listening();
  }

  /** Resolves when HAProxy's checks report this state; rejects after a minute. */
  async sees(server: string, up: boolean): Promise<void> {
    const until = performance.now() + 60_000;
    while (this.up.get(server) !== up) {
      const left = until - performance.now();
      if (left <= 0) throw new Error(`HAProxy does not see ${server} ${up ? 'up' : 'down'}`);
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.changed = resolve;
        timer = setTimeout(resolve, left);
      });
      clearTimeout(timer);
    }
  }

  async stop(): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  private async listening(): Promise<void> {
    for (let tries = 0; tries < 500; tries++) {
      if (this.child?.exitCode !== null) break;
      const answer = await fetch(`${this.origin}/healthz`).catch(() => undefined);
      if (answer) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`HAProxy does not listen: ${this.notices.map(({ text }) => text).join('\n')}`);
  }

  private read(line: string): void {
    const request = /^\S+ (-?\d+) (\S+) (\S+) (\d+) ms \{([^}]*)\}/.exec(line);
    if (request) {
      const [, status, server = '', ending = '', took, name = ''] = request;
      this.lines.set(name, { status: Number(status), server, ending, took: Number(took) });
      return;
    }
    this.notices.push({ at: performance.now(), text: line });
    const [, server, state] = /Server replicas\/(\w+) is (UP|DOWN)/.exec(line) ?? [];
    if (server === undefined) return;
    this.up.set(server, state === 'UP');
    this.changed();
  }
}

/** The shipped file with the ports of this machine. A missing line is an error: the test relies on it. */
function configured(text: string, port: number, servers: Record<string, number>): string {
  const put = (before: string, from: string, to: number): string => {
    if (!before.includes(from)) throw new Error(`haproxy.cfg has no ${from}`);
    return before.replace(from, from.replace(/\d+$/, String(to)));
  };
  let made = put(text, 'bind 127.0.0.1:4700', port);
  Object.entries(servers).forEach(([name, at], nth) => {
    made = put(made, `server ${name} 127.0.0.1:470${nth + 1}`, at);
  });
  return made;
}
