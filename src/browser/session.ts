import type { BrowserContext, Page } from 'playwright-core';
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
import { within } from './within.ts';

/** Milliseconds for one command. */
const commandTimeout = 30_000;
/** Commands that wait for the one before them. */
const mostWaiting = 16;
/** Milliseconds for a page to be there again. */
const reopenTimeout = 10_000;
/** Milliseconds for the pages of a session to go; then they are left to the end of the browser. */
const closeTimeout = 10_000;

export interface SessionEnd {
  reason: 'closed' | 'crashed' | 'stopped';
  message: string;
}

/** A page of ours, on an origin that exists in the session only. */
export interface OpenedPage {
  name: string;
  answer: InternalHandler;
}

interface SessionParts {
  /** What the first tab shows. */
  page: OpenedPage | undefined;
  context: BrowserContext;
  guard: GuardProxy;
  internal: InternalHosts;
  permissions: Permissions;
  recorder: Recorder | undefined;
}

/** What is stored of a session, to open another one with. */
export type StorageState = Awaited<ReturnType<BrowserContext['storageState']>>;

/** A browser of its own for somebody: cookies, storage, tabs, and a way out that is guarded. */
export class BrowserSession {
  /** Settles when the session has ended, by itself or because it was closed. */
  readonly ended: Promise<SessionEnd>;
  /** Whether its place may be taken already. */
  leaving = false;
  onLeaving: () => void = () => {};
  private readonly parts: SessionParts;
  private readonly scope: CommandScope;
  private settle: (end: SessionEnd) => void = () => {};
  private end: SessionEnd | undefined;
  private turn: Promise<unknown> = Promise.resolve();
  private waiting = 0;

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
      // The library brings its helpers with the first thing that is asked of a page.
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

  /** Its place may be taken from now on: it is about to be closed. */
  leave(): void {
    this.leaving = true;
    this.onLeaving();
  }

  get refusals(): GuardProxy['refusals'] {
    return this.parts.guard.refusals;
  }

  /** What the pages wrote to their consoles, the latest of it. */
  get console(): readonly ConsoleEntry[] {
    return this.scope.logs.console.entries;
  }

  /** What the pages asked of the network, the latest of it. */
  get requests(): readonly NetworkEntry[] {
    return this.scope.logs.network.entries;
  }

  /** The tab in front, for parts of ours that do more than commands can. They use it inside `during`. */
  async page(): Promise<Page> {
    return (await this.bounded(() => this.scope.tabs.pick())).page;
  }

  /** Work on a page: bounded in time, and what fails because the session ended says so. */
  during<T>(work: () => Promise<T>, timeout = commandTimeout): Promise<T> {
    return this.bounded(work, timeout);
  }

  /** One command at a time, in the order they come; answers to dialogs do not wait for what the dialog holds up. */
  async perform(
    command: BrowserCommand,
    { tabId, timeout = commandTimeout }: { tabId?: string | undefined; timeout?: number } = {},
  ): Promise<CommandResult> {
    this.checkOpen();
    const run = (): Promise<CommandResult> =>
      this.whileOpen(() => performCommand(this.scope, command, { tabId, timeout }));
    if (answersDialog(command)) return run();
    if (this.waiting >= mostWaiting)
      throw new BrowserFailure('capacity', `${mostWaiting} commands wait already; wait for their answers`);
    this.waiting++;
    const mine = this.turn.then(run).finally(() => this.waiting--);
    this.turn = mine.catch(() => {});
    return mine;
  }

  /** Another policy holds from now on, also for connections that are open. */
  async comply(policy: BrowserPolicy): Promise<void> {
    this.parts.permissions.become(policy);
    await this.parts.guard.judgeTunnels();
  }

  /** What the tabs show, the one in front last. */
  get addresses(): string[] {
    const tabs = this.scope.tabs.list();
    return [...tabs.filter(({ active }) => !active), ...tabs.filter(({ active }) => active)].map(
      ({ url }) => url,
    );
  }

  /** Shows pages again that were open before. It is our doing, so that only the guard has a say; what does not load stays empty. */
  async reopen(addresses: readonly string[]): Promise<void> {
    const { tabs } = this.scope;
    const shown = addresses.filter((address) => /^https?:/.test(address));
    const pages = [];
    for (const [at, address] of shown.entries())
      pages.push({ page: (at === 0 ? await tabs.pick() : await tabs.open()).page, address });
    const options = { waitUntil: 'domcontentloaded', timeout: reopenTimeout } as const;
    await Promise.all(pages.map(({ page, address }) => page.goto(address, options).catch(() => {})));
  }

  /** Answers for `http://NAME.dd.localhost` inside this session; its origin. */
  serve(name: string, handler: InternalHandler): string {
    return this.parts.internal.serve(name, handler);
  }

  /** PNG of what the tab in front shows. */
  screenshot(): Promise<{ png: Buffer; width: number; height: number }> {
    return this.look('screenshot', async () => screenshot((await this.scope.tabs.pick()).page));
  }

  /** The accessibility tree of the tab in front. */
  snapshot(): Promise<{ text: string; truncated: boolean }> {
    return this.look('a11y', async () => snapshot((await this.scope.tabs.pick()).page, undefined, 'all'));
  }

  /** Cookies and local storage, which are secrets: they sign in. */
  storageState(): Promise<StorageState> {
    return this.bounded(() => this.parts.context.storageState());
  }

  /** Ends the recording. Its files are there until the session is closed. */
  async recording(): Promise<Recording | undefined> {
    return this.parts.recorder?.finish();
  }

  async close(reason: 'closed' | 'stopped' = 'closed'): Promise<void> {
    const { context, guard, recorder } = this.parts;
    this.finish({ reason, message: reason === 'closed' ? 'the session was closed' : 'the service stopped' });
    await recorder?.discard();
    await guard.close();
    await within(closeTimeout, context.close(), () => {}).catch(() => {});
  }

  /** The browser is gone, and with it the session. */
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

  private look<T>(mode: 'screenshot' | 'a11y', work: () => Promise<T>): Promise<T> {
    const forbidden = this.parts.permissions.refusalOfCommand({ op: 'observe', mode });
    if (forbidden !== undefined) return Promise.reject(new BrowserFailure('not-allowed', forbidden));
    return this.bounded(work);
  }

  private bounded<T>(work: () => Promise<T>, timeout = commandTimeout): Promise<T> {
    return this.whileOpen(() =>
      within(timeout, work(), () => {
        throw new BrowserFailure('timeout', 'The page does not answer; close it, or the session');
      }),
    );
  }

  /** What fails because the session ended says so. */
  private async whileOpen<T>(work: () => Promise<T>): Promise<T> {
    this.checkOpen();
    try {
      return await work();
    } catch (error) {
      if (error instanceof BrowserFailure) throw error;
      this.checkOpen();
      const line = String(error).split('\n')[0] ?? '';
      throw new BrowserFailure('refused', `The browser could not do it: ${line.slice(0, 300)}`);
    }
  }
}
