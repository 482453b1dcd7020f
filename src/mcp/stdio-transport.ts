import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { Account } from '../platform/accounts.ts';
import { type Confinement, type Launch, NotConfined } from '../platform/confinement/confinement.ts';
import { closedDescriptors } from '../platform/confinement/descriptors.ts';
import { signalInside } from '../platform/confinement/end.ts';
import { withTimeout } from '../platform/flow/deadline.ts';
import type { Pacer } from '../platform/flow/pacer.ts';
import { answerBounds, handshakeLimits, messageLimits } from './answer-bounds.ts';
import { McpFailure } from './failures.ts';
import { bytesInTurn } from './reading.ts';
import type { StdioTarget } from './target.ts';

interface StdioOptions {
  pace: Pacer;
  confinement: Confinement;
}

/** Maximum bytes of a line, which is a message. */
const maxLine = 32 * 1024 * 1024;
/** Chunks of a line before they are merged, and the size from which a chunk is not merged. */
const maxPieces = 2_048;
const largePiece = 64 * 1024;
const maxStderr = 16 * 1024;
/** Maximum bytes waiting for the command to read them. */
const maxUnread = 8 * 1024 * 1024;
/** Milliseconds a command gets to exit after the end of its input, and then after SIGTERM. */
const grace = { inputEnded: 500, terminated: 2_000 };
const newline = 0x0a;

/** Environment variables that a command inherits. All others may contain secrets. */
const inherited = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER'];

/**
 * Speaks MCP over the standard input and output of a confined command. The command runs in its own process group, which
 * is killed with the connection. Lines are limited before they are parsed.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  /** The last part of stderr. Together with `pid` it tells the SDK that this is a pipe. */
  stderr = '';
  /** Whether `stderr` lacks its start. */
  stderrCut = false;
  /** Total bytes written by the command. */
  bytesRead = 0;
  /** Why the transport closed the connection, if it did. */
  failure: McpFailure | undefined;
  private readonly target: StdioTarget;
  private readonly options: StdioOptions;
  private child: ChildProcess | undefined;
  private inNamespaces = false;
  private exited: Promise<void> = Promise.resolve();
  private closing: Promise<void> | undefined;
  private bounds = answerBounds(handshakeLimits, 'The command');
  private line: Buffer[] = [];
  private lineBytes = 0;
  private readInTurn = 0;

  constructor(target: StdioTarget, options: StdioOptions) {
    this.target = target;
    this.options = options;
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** From now on messages contain results, which may be larger. */
  established(): void {
    this.bounds = answerBounds(messageLimits, 'The command');
  }

  async start(): Promise<void> {
    const launch = await this.prepare();
    if (this.closing) throw new McpFailure('closed', 'The connection was closed before the command started');
    return this.run(launch);
  }

  private async prepare(): Promise<Launch> {
    const { command, args, env, delivered = [] } = this.target;
    const { confinement } = this.options;
    try {
      const variables = { ...environment(confinement.user), ...env };
      return await confinement.launch({ command, args, env: variables, delivered });
    } catch (error) {
      if (!(error instanceof NotConfined)) throw error;
      throw new McpFailure('command', `Could not start the MCP server: ${error.message}`, { notSent: true });
    }
  }

  private run({ command, args, env, account, namespaces }: Launch): Promise<void> {
    const child = spawn(command, args, {
      env,
      stdio: ['pipe', 'pipe', 'pipe', ...closedDescriptors()],
      shell: false,
      detached: true,
      ...(account && { uid: account.uid, gid: account.gid }),
    });
    this.child = child;
    this.inNamespaces = namespaces;
    child.stdin?.on('error', () => {});
    child.stdout?.on('data', (chunk: Buffer) => this.read(chunk));
    child.stdout?.on('error', () => {});
    child.stderr?.on('data', (chunk: Buffer) => {
      this.keep(chunk);
      const wait = this.options.pace.take(0, chunk.length);
      if (wait > 0) pause(child.stderr, wait);
    });
    child.stderr?.on('error', () => {});
    return new Promise((resolve, reject) => {
      this.exited = new Promise((gone) => {
        child.once('error', (error) => {
          reject(error);
          gone();
        });
        child.once('exit', () => {
          gone();
          void this.close();
        });
      });
      child.once('spawn', () => resolve());
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.child?.stdin;
    if (!stdin?.writable)
      return Promise.reject(new McpFailure('closed', 'The command has ended', { notSent: true }));
    // Requests of callers that disconnect and come back would pile up.
    if (stdin.writableLength > maxUnread)
      return Promise.reject(
        new McpFailure('closed', 'The command does not read its input', { notSent: true }),
      );
    return new Promise((resolve) => {
      if (stdin.write(`${JSON.stringify(message)}\n`)) resolve();
      else {
        // The command may exit before it has read everything.
        stdin.once('drain', resolve);
        stdin.once('close', resolve);
      }
    });
  }

  /** Resolves when no process of the group is left. */
  close(): Promise<void> {
    this.closing ??= this.end();
    return this.closing;
  }

  private async end(): Promise<void> {
    const { child } = this;
    if (!child) return;
    child.stdin?.end();
    if (!(await this.exitsWithin(grace.inputEnded))) {
      this.askToEnd(child);
      await this.exitsWithin(grace.terminated);
    }
    // Also kills processes that outlive the command.
    killGroup(child, 'SIGKILL');
    await this.exited;
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
    this.onclose?.();
  }

  private askToEnd(child: ChildProcess): void {
    const asked = this.inNamespaces && child.pid !== undefined && signalInside(child.pid, 'SIGTERM');
    if (!asked) killGroup(child, 'SIGTERM');
  }

  private exitsWithin(ms: number): Promise<boolean> {
    return withTimeout(
      ms,
      this.exited.then(() => true),
      () => false,
    );
  }

  private read(chunk: Buffer): void {
    if (this.failure) return;
    this.bytesRead += chunk.length;
    try {
      const messages = this.split(chunk);
      const wait = this.options.pace.take(messages, chunk.length);
      this.readInTurn += chunk.length;
      if (wait > 0) pause(this.child?.stdout, wait);
      else if (this.readInTurn > bytesInTurn) this.yieldTurn();
    } catch (error) {
      if (!(error instanceof McpFailure)) throw error;
      this.failure = error;
      this.onerror?.(error);
      // Killed at once, because it is still writing.
      if (this.child) killGroup(this.child, 'SIGKILL');
    }
  }

  private yieldTurn(): void {
    const stdout = this.child?.stdout;
    this.readInTurn = 0;
    stdout?.pause();
    setImmediate(() => stdout?.resume());
  }

  /** Reads whole lines. Returns their number. */
  private split(chunk: Buffer): number {
    let messages = 0;
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      this.gather(chunk.subarray(start, end));
      this.receive(this.line.length === 1 ? (this.line[0] as Buffer) : Buffer.concat(this.line));
      this.line = [];
      this.lineBytes = 0;
      this.bounds.reset();
      start = end + 1;
      messages++;
    }
    this.gather(chunk.subarray(start));
    return messages;
  }

  private gather(bytes: Buffer): void {
    this.bounds.feed(bytes);
    this.line.push(bytes);
    this.lineBytes += bytes.length;
    if (this.line.length > maxPieces) this.line = joined(this.line);
    if (this.lineBytes > maxLine)
      throw new McpFailure('too-large', 'The command wrote a line of more than 32 MiB; it was cut off');
  }

  private receive(line: Buffer): void {
    // Many commands also write other text.
    if (line[0] !== 0x7b) return;
    let message: unknown;
    try {
      message = JSON.parse(line.toString('utf8'));
    } catch (error) {
      this.onerror?.(error as Error);
      return;
    }
    if (isMessage(message)) this.onmessage?.(message);
    else this.onerror?.(new McpFailure('not-mcp', 'The command wrote JSON that is not a JSON-RPC message'));
  }

  private keep(chunk: Buffer): void {
    const text = this.stderr + chunk.toString('utf8');
    this.stderrCut ||= text.length > maxStderr;
    this.stderr = text.slice(-maxStderr);
  }
}

/** Merges small chunks, so that a command that writes single bytes does not need a Buffer for each. */
function joined(pieces: readonly Buffer[]): Buffer[] {
  const small = pieces.findIndex(({ length }) => length < largePiece);
  return small < 0 ? [...pieces] : [...pieces.slice(0, small), Buffer.concat(pieces.slice(small))];
}

function pause(stream: Readable | null | undefined, wait: number): void {
  stream?.pause();
  setTimeout(() => stream?.resume(), wait).unref();
}

function environment(user: Account | undefined): Record<string, string> {
  const own = inherited.flatMap((name): [string, string][] => {
    const value = process.env[name];
    // Functions exported by a shell are excluded.
    return value === undefined || value.startsWith('()') ? [] : [[name, value]];
  });
  return {
    ...Object.fromEntries(own),
    ...(user && { HOME: user.home, LOGNAME: user.name, USER: user.name }),
  };
}

/** Kills the process and its descendants, unless they have left the group. */
function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    child.kill(signal);
  }
}

function isMessage(value: unknown): value is JSONRPCMessage {
  const { jsonrpc, method, id, result, error } = value as Record<string, unknown>;
  if (jsonrpc !== '2.0') return false;
  if (id !== undefined && id !== null && typeof id !== 'string' && typeof id !== 'number') return false;
  if (method !== undefined) return typeof method === 'string';
  if (id === undefined) return false;
  if (error === undefined) return typeof result === 'object' && result !== null && !Array.isArray(result);
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  return typeof code === 'number' && typeof message === 'string';
}
