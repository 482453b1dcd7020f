import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { program } from './process.ts';

const pty = new URL('terminal.py', import.meta.url).pathname;

export interface TerminalOptions {
  env?: Record<string, string>;
  cwd?: string;
  columns?: number;
}

/** A command on a real pseudo-terminal: what a person would see, and typing. */
export class Terminal {
  screen = '';
  private readonly child: ChildProcess;
  private readonly closed: Promise<unknown>;

  constructor(command: string[], { env = {}, cwd = '.', columns = 80 }: TerminalOptions = {}) {
    const inherited = Object.fromEntries(
      Object.entries(process.env).filter(
        ([name]) => !/^DRYDOCK_|_API_KEY$|^NO_COLOR$|^FORCE_COLOR$|^CI$/.test(name),
      ),
    );
    this.child = spawn('python3', [pty, String(columns), '24', ...command], {
      cwd,
      env: { ...inherited, TERM: 'xterm-256color', XDG_CONFIG_HOME: '/nonexistent', ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.screen += text));
    this.closed = once(this.child, 'close');
    onTestFinished(() => void this.child.kill());
  }

  /** The built program with these arguments. */
  static drydock(args: string[], options?: TerminalOptions): Terminal {
    return new Terminal([process.execPath, program, ...args], options);
  }

  type(keys: string): void {
    this.child.stdin?.write(keys);
  }

  /** Resolves when the screen shows this; rejects when the command ends without it. */
  async shows(pattern: RegExp): Promise<void> {
    const seen = new Promise<void>((resolve) => {
      const look = (): void => {
        if (pattern.test(this.screen)) resolve();
      };
      this.child.stdout?.on('data', look);
      look();
    });
    await Promise.race([seen, this.closed]);
    if (!pattern.test(this.screen)) throw new Error(`ended without ${String(pattern)}: ${this.screen}`);
  }

  /** The exit code, when the command has ended. */
  async ended(): Promise<number | null> {
    await this.closed;
    return this.child.exitCode;
  }

  /** The text of the screen without colors, line by line. */
  get lines(): string[] {
    return this.screen.replaceAll(/\u001B\[[0-9;?]*[A-Za-z]/g, '').split(/\r?\n/);
  }
}
