import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { scaled } from '../slowdown.ts';

export interface Said {
  stdout: string;
  stderr: string;
}

/** One shell that runs block after block, so that exported variables persist. A failing command ends it. */
export class Session {
  private readonly shell: ChildProcess;
  private readonly folder: string;
  private readonly closed: Promise<unknown>;
  private readonly exited: Promise<unknown>;
  private count = 0;
  private lines: string[] = [];
  private stderr = '';
  private listener: (line: string) => void = () => {};
  private ending: Promise<void> | undefined;
  /** The output of background commands, by the number of their block. */
  private readonly background = new Map<number, string[]>();

  constructor(folder: string, env: Record<string, string>) {
    this.folder = folder;
    // A process group of its own, so that everything it started can be ended with it.
    this.shell = spawn('bash', ['--noprofile', '--norc', '-e', '-o', 'pipefail'], {
      cwd: folder,
      env,
      detached: true,
      // Background output has its own pipe, so that it cannot interrupt a line of the foreground.
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    });
    this.closed = once(this.shell, 'close');
    this.exited = once(this.shell, 'exit');
    this.shell.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.eachLine(1, (line) => this.lines.push(line));
    this.eachLine(3, (line) => {
      const [, number, text] = /^(\d+)\u0001(.*)$/.exec(line) ?? [];
      this.background.get(Number(number))?.push(text as string);
    });
  }

  private eachLine(descriptor: 1 | 3, hear: (line: string) => void): void {
    const input = this.shell.stdio[descriptor] as NodeJS.ReadableStream;
    createInterface({ input }).on('line', (line) => {
      hear(line);
      this.listener(line);
    });
  }

  /** Resolves with what the block printed; rejects when it fails. */
  async run(text: string): Promise<Said> {
    const file = await this.written(text);
    const end = `\u0002${this.count}`;
    this.lines = [];
    this.stderr = '';
    // The newline is for output that does not end with one.
    await this.until((line) => line === end, `. ${file} < /dev/null 3>&-; printf '\\n${end}\\n'\n`);
    return { stdout: this.lines.slice(0, -1).join('\n').trimEnd(), stderr: this.stderr };
  }

  /** Resolves when the output of the block satisfies the condition. The block runs until the session ends. */
  async start(text: string, satisfies: (printed: string) => boolean): Promise<void> {
    const file = await this.written(text);
    const number = this.count;
    const printed: string[] = [];
    this.background.set(number, printed);
    // `sed` ignores SIGTERM and reads until the end of its input, so that a service can shut down in order.
    const tagged = `( . ${file} ) < /dev/null 2>&1 3>&- | ( trap '' TERM; exec sed -u 's/^/${number}\\x01/' >&3 ) &\n`;
    await this.until(() => satisfies(printed.join('\n')), tagged).catch((error: unknown) => {
      throw new Error(`${(error as Error).message}\n${printed.join('\n')}`);
    });
  }

  /** Ends the shell and all it has started. A second signal would end a service before its database. */
  end(): Promise<void> {
    return (this.ending ??= this.endGroup());
  }

  private async endGroup(): Promise<void> {
    this.signal('SIGTERM');
    const gaveUp = setTimeout(() => this.signal('SIGKILL'), 15_000);
    await this.closed;
    clearTimeout(gaveUp);
  }

  private signal(signal: NodeJS.Signals): void {
    try {
      process.kill(-(this.shell.pid as number), signal);
    } catch {
      // Everything has ended.
    }
  }

  private async written(text: string): Promise<string> {
    const file = join(this.folder, `.block-${++this.count}.sh`);
    await writeFile(file, `${text}\n`);
    return file;
  }

  private async until(seen: (line: string) => boolean, input: string): Promise<void> {
    let late: NodeJS.Timeout | undefined;
    const heard = new Promise<void>((resolve, reject) => {
      this.listener = (line) => seen(line) && resolve();
      late = setTimeout(() => reject(new Error(`took too long\n${this.everything()}`)), scaled(90_000));
    });
    this.shell.stdin?.write(input);
    try {
      await Promise.race([
        heard,
        this.exited.then(async () => {
          // `end` waits until all output is closed, so that the last lines are included.
          await this.end();
          throw new Error(`failed\n${this.everything()}`);
        }),
      ]);
    } finally {
      clearTimeout(late);
    }
  }

  private everything(): string {
    return `${this.lines.join('\n')}\n${this.stderr}`;
  }
}
