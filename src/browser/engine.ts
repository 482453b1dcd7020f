import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Log } from '../platform/log.ts';
import type { PolicySource } from '../platform/network/address-guard.ts';
import type { Resolve } from '../platform/network/resolve.ts';
import { findChromium } from './chromium.ts';
import { BrowserFailure } from './failure.ts';
import { videoIsPossible } from './ffmpeg.ts';
import { GuardProxy } from './guard-proxy.ts';
import { InternalHosts } from './internal-hosts.ts';
import { type BrowserPolicy, Permissions } from './policy.ts';
import { Recorder } from './recording.ts';
import { BrowserSession, type OpenedPage, type StorageState } from './session.ts';
import { SharedBrowser } from './shared-browser.ts';
import { SpareSession } from './spare.ts';
import { within } from './within.ts';

/** Milliseconds for a session to begin in a browser that runs. */
const openTimeout = 30_000;
const largest = { width: 1920, height: 1200 };

interface EngineOptions {
  /** A path, an address, or `off`; the Chromium of this machine when left out. */
  browser?: string | undefined;
  /** Open at once. */
  sessions: number;
  policy: PolicySource;
  resolve?: Resolve | undefined;
  log: Log;
  /** Sessions after which a browser is replaced. */
  recycleAfter?: number | undefined;
  /** Bytes of one recording. */
  recordingBytes?: number | undefined;
  /** Further switches of the browser, for tests. */
  switches?: readonly string[] | undefined;
}

export interface OpenBrowser {
  policy: BrowserPolicy;
  viewport?: { width: number; height: number } | undefined;
  /** Shown at first, instead of nothing. */
  page?: OpenedPage | undefined;
  storageState?: StorageState | undefined;
  record?: boolean | undefined;
  /** When as many sessions are open as may be: waits for one to end, until this aborts. */
  waitForRoom?: AbortSignal | undefined;
}

/** Browser sessions of this process. A browser is started with the first one. */
export class BrowserEngine {
  private readonly options: EngineOptions;
  private readonly place: string | undefined;
  private readonly sessions = new Set<BrowserSession>();
  private readonly browsers = new Set<SharedBrowser>();
  private current: Promise<SharedBrowser> | undefined;
  private opening = 0;
  private readonly waiting = new Set<() => void>();
  private closed = false;
  private readonly spare = new SpareSession();
  private recordings: Promise<string> | undefined;
  private recorded = 0;

  constructor(options: EngineOptions) {
    this.options = options;
    this.place = options.browser === 'off' ? undefined : (options.browser ?? findChromium());
  }

  /** Whether there is a browser; whether it starts is seen when it is needed. */
  get available(): boolean {
    return this.place !== undefined;
  }

  /** Where it is; refuses where there is none. */
  checkAvailable(): string {
    if (this.place !== undefined) return this.place;
    throw new BrowserFailure(
      'off',
      'This service has no browser. The operator can install Chromium, or name one in DRYDOCK_BROWSER',
    );
  }

  /** Processes of browsers, for those who watch them. */
  get pids(): number[] {
    return [...this.browsers].flatMap(({ pid }) => pid ?? []);
  }

  async open(wanted: OpenBrowser): Promise<BrowserSession> {
    const permissions = new Permissions(wanted.policy);
    if (this.closed) throw new BrowserFailure('closed', 'The service is stopping');
    const place = this.checkAvailable();
    await this.room(wanted.waitForRoom);
    this.opening++;
    try {
      for (let again = false; ; again = true) {
        const browser = await this.reserve(place);
        const session = await this.opened(browser, permissions, wanted).catch((error: unknown) => {
          browser.begin(undefined);
          // It may have crashed a moment ago, which its sessions hear of before it does.
          if (browser.isFit || again) throw error;
        });
        if (session) return session;
      }
    } finally {
      this.opening--;
      this.roomMade();
    }
  }

  private async opened(
    browser: SharedBrowser,
    permissions: Permissions,
    wanted: OpenBrowser,
  ): Promise<BrowserSession> {
    const session =
      (await this.spareFor(browser, wanted)) ?? (await this.begin(browser, permissions, wanted));
    this.keep(browser, session, wanted);
    return session;
  }

  async close(): Promise<void> {
    this.closed = true;
    this.roomMade();
    await this.current?.catch(() => {});
    const dropped = this.spare.drop();
    await Promise.all([...this.sessions].map((session) => session.close('stopped')));
    await Promise.all([...this.browsers].map((browser) => browser.end()));
    await dropped;
    if (this.recordings) await rm(await this.recordings, { recursive: true, force: true });
  }

  private async room(until: AbortSignal | undefined): Promise<void> {
    const staying = (): number => [...this.sessions].filter(({ leaving }) => !leaving).length;
    while (staying() + this.opening >= this.options.sessions) {
      if (!until || until.aborted)
        throw new BrowserFailure(
          'capacity',
          `${this.options.sessions} browser sessions are open, which is the most (DRYDOCK_BROWSER_SESSIONS). Close one, or try again later`,
        );
      await new Promise<void>((resolve) => {
        const tell = (): void => {
          this.waiting.delete(tell);
          until.removeEventListener('abort', tell);
          resolve();
        };
        this.waiting.add(tell);
        until.addEventListener('abort', tell);
      });
      if (this.closed) throw new BrowserFailure('closed', 'The service is stopping');
    }
  }

  /** Whoever waits looks again. */
  private roomMade(): void {
    for (const tell of [...this.waiting]) tell();
  }

  /** A browser that takes one more: the one in use, or a new one when that is used up. */
  private async reserve(place: string): Promise<SharedBrowser> {
    for (;;) {
      const asked = this.current;
      const browser = await asked?.catch(() => undefined);
      if (browser?.reserve()) return browser;
      // Others may have come to the same conclusion.
      if (this.current === asked) this.current = this.start(place);
      await this.current;
    }
  }

  private async start(place: string): Promise<SharedBrowser> {
    const gone: { browser?: SharedBrowser } = {};
    const browser = await SharedBrowser.start({ place, ...this.options }, () => {
      if (gone.browser) this.browsers.delete(gone.browser);
    });
    gone.browser = browser;
    this.browsers.add(browser);
    if (this.closed) await browser.end();
    return browser;
  }

  private async begin(
    browser: SharedBrowser,
    permissions: Permissions,
    { viewport, page, storageState, record = false }: Omit<OpenBrowser, 'policy' | 'waitForRoom'>,
  ): Promise<BrowserSession> {
    const internal = new InternalHosts();
    const { policy, resolve } = this.options;
    const refusalOfOrigin = permissions.refusalOfOrigin.bind(permissions);
    const guard = new GuardProxy({ policy, resolve, refusalOfOrigin, internal, listen: browser.listen });
    try {
      const server = await guard.open();
      const opening = browser.browser.newContext({
        proxy: { server },
        viewport: sizeOf(viewport),
        acceptDownloads: false,
        ...(storageState && { storageState }),
      });
      const context = await within(openTimeout, opening, () => {
        // It is of no use then, should it still come.
        void opening.then((late) => late.close()).catch(() => {});
        throw new BrowserFailure('timeout', 'The browser does not answer; try again');
      });
      const recorder = record ? await this.recorder() : undefined;
      return await BrowserSession.start({ context, guard, internal, permissions, page, recorder }).catch(
        async (error: unknown) => {
          await context.close().catch(() => {});
          throw error;
        },
      );
    } catch (error) {
      await guard.close();
      if (error instanceof BrowserFailure) throw error;
      const line = String(error).split('\n')[0] ?? '';
      throw new BrowserFailure('crashed', `The browser did not open a session: ${line.slice(0, 300)}`);
    }
  }

  private keep(browser: SharedBrowser, session: BrowserSession, { viewport, page }: OpenBrowser): void {
    this.sessions.add(session);
    browser.begin(session);
    session.onLeaving = () => this.roomMade();
    void this.untilEnded(browser, session, { viewport, page });
  }

  private async untilEnded(
    browser: SharedBrowser,
    session: BrowserSession,
    like: Pick<OpenBrowser, 'viewport' | 'page'>,
  ): Promise<void> {
    const { reason } = await session.ended;
    this.sessions.delete(session);
    browser.remove(session);
    this.roomMade();
    if (reason === 'closed') this.prepare(browser, like);
  }

  /** Only where nothing has to be put into it. */
  private async spareFor(
    browser: SharedBrowser,
    { policy, viewport, page, storageState, record }: OpenBrowser,
  ): Promise<BrowserSession | undefined> {
    if (storageState || record) return undefined;
    const session = await this.spare.take({ browser, page, ...sizeOf(viewport) });
    await session?.comply(policy);
    return session;
  }

  /** For whoever is next. A browser elsewhere may be shared with others. */
  private prepare(browser: SharedBrowser, { viewport, page }: Pick<OpenBrowser, 'viewport' | 'page'>): void {
    if (this.closed || !browser.isFit || browser.pid === undefined) return;
    const nothing = new Permissions({ mode: 'allowlist' });
    this.spare.prepare({ browser, page, ...sizeOf(viewport) }, () =>
      this.begin(browser, nothing, { viewport, page }),
    );
  }

  private async recorder(): Promise<Recorder> {
    this.recordings ??= mkdtemp(join(tmpdir(), `drydock-browser-${process.pid}-recordings-`));
    const folder = join(await this.recordings, String(++this.recorded));
    return new Recorder({ folder, video: videoIsPossible(), limit: this.options.recordingBytes });
  }
}

function sizeOf({ width, height } = { width: 1280, height: 720 }): { width: number; height: number } {
  return {
    width: Math.min(Math.max(100, Math.round(width)), largest.width),
    height: Math.min(Math.max(100, Math.round(height)), largest.height),
  };
}
