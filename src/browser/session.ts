import type { BrowserContext, Page } from 'playwright-core';
import { withTimeout } from '../platform/flow/deadline.ts';
import { Semaphore } from '../platform/flow/semaphore.ts';
import type { BrowserCommand, CommandResult, ConsoleEntry, NetworkEntry } from './command.ts';
import { answersDialog, type CommandScope, performCommand } from './commands.ts';
import { BrowserFailure } from './failure.ts';
import type { GuardProxy } from './guard-proxy.ts';
import { installPageTools } from './in-page.ts';
import type { InternalHandler, InternalHosts } from './internal-hosts.ts';
import { Logs } from './logs.ts';
import { screenshot, snapshot } from './observe.ts';
import { PageTools } from './page-tools.ts';
import type { BrowserPolicy, Permissions } from './policy.ts';
import type { Recorder, Recording } from './recording.ts';
import { Tabs } from './tabs.ts';

/** Milliseconds for one command. */
const commandTimeout = 30_000;
/** Maximum number of queued commands. */
const maxWaiting = 16;
/** Milliseconds to reopen a page. */
const reopenTimeout = 10_000;
/** Milliseconds to close the pages of a session. Afterwards they stay until the browser exits. */
const closeTimeout = 10_000;

export interface SessionEnd {
  reason: 'closed' | 'crashed' | 'stopped';
  message: string;
}

/** A page that Drydock itself serves to the session, on an origin that nothing else can reach. */
export interface OpenedPage {
  name: string;
  answer: InternalHandler;
}

interface SessionParts {
  /** The page to load in the first tab. If undefined, the tab stays blank. */
  page: OpenedPage | undefined;
  context: BrowserContext;
  guard: GuardProxy;
  internal: InternalHosts;
  permissions: Permissions;
  recorder: Recorder | undefined;
}

/** The stored cookies and local storage of a session, for opening another one. */
export type StorageState = Awaited<ReturnType<BrowserContext['storageState']>>;

/** An isolated browser context, with cookies, storage and tabs, whose requests pass a guard proxy. */
export class BrowserSession {
  /** Settles when the session has ended, by itself or by `close`. */
  readonly ended: Promise<SessionEnd>;
  /** Called when a new session may open before this one has closed. */
  onLeaving: () => void = () => {};
  private readonly parts: SessionParts;
  private readonly scope: CommandScope;
  private settle: (end: SessionEnd) => void = () => {};
  private end: SessionEnd | undefined;
  private readonly commands = new Semaphore(1, {
    total: maxWaiting,
    error: () =>
      new BrowserFailure('capacity', `The queue is full (${maxWaiting} commands). Wait for their results`),
  });

  private constructor(parts: SessionParts) {
    this.parts = parts;
    this.ended = new Promise((resolve) => {
      this.settle = resolve;
    });
    const logs = new Logs();
    this.scope = {
      tabs: new Tabs(parts.context, logs),
      logs,
      pageTools: new PageTools(),
      guard: parts.guard,
      permissions: parts.permissions,
      internal: parts.internal,
      ended: this.ended.then(({ message }) => message),
    };
  }

  static async start(parts: SessionParts): Promise<BrowserSession> {
    const session = new BrowserSession(parts);
    const { context, recorder, page } = parts;
    context.setDefaultTimeout(commandTimeout);
    context.setDefaultNavigationTimeout(commandTimeout);
    context.on('close', () => session.finish({ reason: 'crashed', message: 'the browser ended' }));
    await context.addInitScript(installPageTools);
    const first = await session.scope.tabs.open();
    if (page) {
      const origin = session.serve(page.name, page.answer);
      await first.page.goto(`${origin}/`, { waitUntil: 'domcontentloaded' });
      // The first evaluation loads the helpers of the library.
      await first.page.evaluate('0');
    }
    if (!recorder) return session;
    await recorder.begin(first);
    session.scope.tabs.onOpened = (tab) => void recorder.begin(tab);
    return session;
  }

  get isOpen(): boolean {
    return this.end === undefined;
  }

  /** Lets another session open while this one closes. */
  leave(): void {
    this.onLeaving();
  }

  get refusals(): GuardProxy['refusals'] {
    return this.parts.guard.refusals;
  }

  /** The latest console messages of the pages. */
  get console(): readonly ConsoleEntry[] {
    return this.scope.logs.console.entries;
  }

  /** The latest network requests of the pages. */
  get requests(): readonly NetworkEntry[] {
    return this.scope.logs.network.entries;
  }

  /** The active tab, for code that needs more than commands. Use it inside `during`. */
  async page(): Promise<Page> {
    return (await this.bounded(() => this.scope.tabs.pick())).page;
  }

  /** Runs work on a page with a timeout. If the session ends, the error says so. */
  during<T>(work: () => Promise<T>, timeout = commandTimeout): Promise<T> {
    return this.bounded(work, timeout);
  }

  /**
   * Runs commands one at a time, in order. Commands about dialogs and cancellations skip the queue, because the running
   * command may wait for them.
   */
  async perform(
    command: BrowserCommand,
    { tabId, timeout = commandTimeout }: { tabId?: string | undefined; timeout?: number } = {},
  ): Promise<CommandResult> {
    this.checkOpen();
    const run = (): Promise<CommandResult> =>
      this.whileOpen(() => performCommand(this.scope, command, { tabId, timeout }));
    return answersDialog(command) ? run() : this.commands.run(run);
  }

  /** Replaces the policy, also for open connections. */
  async applyPolicy(policy: BrowserPolicy): Promise<void> {
    this.parts.permissions.become(policy);
    await this.parts.guard.recheckTunnels();
  }

  /** The URLs of the tabs, the active one last. */
  get addresses(): string[] {
    const tabs = this.scope.tabs.list();
    return [...tabs.filter(({ active }) => !active), ...tabs.filter(({ active }) => active)].map(
      ({ url }) => url,
    );
  }

  /** Reopens pages. Only the guard checks them, not the policy for commands. A page that does not load stays empty. */
  async reopen(addresses: readonly string[]): Promise<void> {
    const { tabs } = this.scope;
    const shown = addresses.filter((address) => /^https?:/.test(address));
    const pages = [];
    for (const [at, address] of shown.entries())
      pages.push({ page: (at === 0 ? await tabs.pick() : await tabs.open()).page, address });
    const options = { waitUntil: 'domcontentloaded', timeout: reopenTimeout } as const;
    await Promise.all(pages.map(({ page, address }) => page.goto(address, options).catch(() => {})));
  }

  /** Serves `http://NAME.dd.localhost` inside this session. Returns the origin. */
  serve(name: string, handler: InternalHandler): string {
    return this.parts.internal.serve(name, handler);
  }

  /** A PNG of the active tab. */
  screenshot(): Promise<{ png: Buffer; width: number; height: number }> {
    return this.observe('screenshot', async () => screenshot((await this.scope.tabs.pick()).page));
  }

  /** The accessibility tree of the active tab. */
  snapshot(): Promise<{ text: string; truncated: boolean }> {
    return this.observe('a11y', async () => snapshot((await this.scope.tabs.pick()).page, undefined, 'all'));
  }

  /** Cookies and local storage. They grant access, so treat them as secrets. */
  storageState(): Promise<StorageState> {
    return this.bounded(() => this.parts.context.storageState());
  }

  /** Ends the recording. The files exist until the session closes. */
  async recording(): Promise<Recording | undefined> {
    return this.parts.recorder?.finish();
  }

  async close(reason: 'closed' | 'stopped' = 'closed'): Promise<void> {
    const { context, guard, recorder } = this.parts;
    this.finish({ reason, message: reason === 'closed' ? 'the session was closed' : 'the service stopped' });
    await recorder?.discard();
    await guard.close();
    await withTimeout(closeTimeout, context.close(), () => {}).catch(() => {});
  }

  /** Ends the session after the browser has crashed. */
  lost(): void {
    this.finish({ reason: 'crashed', message: 'the browser crashed' });
  }

  private finish(end: SessionEnd): void {
    if (this.end) return;
    this.end = end;
    this.settle(end);
    if (end.reason !== 'crashed') return;
    void this.parts.guard.close();
    void this.parts.recorder?.finish();
  }

  private checkOpen(): void {
    if (!this.end) return;
    throw new BrowserFailure(
      this.end.reason === 'crashed' ? 'crashed' : 'closed',
      `The session has ended: ${this.end.message}. Open another one`,
    );
  }

  private observe<T>(mode: 'screenshot' | 'a11y', work: () => Promise<T>): Promise<T> {
    const forbidden = this.parts.permissions.refusalOfCommand({ op: 'observe', mode });
    if (forbidden !== undefined) return Promise.reject(new BrowserFailure('not-allowed', forbidden));
    return this.bounded(work);
  }

  private bounded<T>(work: () => Promise<T>, timeout = commandTimeout): Promise<T> {
    return this.whileOpen(() =>
      withTimeout(timeout, work(), () => {
        throw new BrowserFailure('timeout', 'The page does not respond. Close the tab or the session');
      }),
    );
  }

  /** If the session has ended meanwhile, throws that instead of the original error. */
  private async whileOpen<T>(work: () => Promise<T>): Promise<T> {
    this.checkOpen();
    try {
      return await work();
    } catch (error) {
      if (error instanceof BrowserFailure) throw error;
      this.checkOpen();
      const line = String(error).split('\n')[0] ?? '';
      throw new BrowserFailure('refused', `The browser command failed: ${line.slice(0, 300)}`);
    }
  }
}
