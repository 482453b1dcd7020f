import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withTimeout } from '../platform/flow/deadline.ts';
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
import { WarmSession } from './warm-session.ts';

/** Milliseconds to open a session in a running browser. */
const openTimeout = 30_000;
/** Pixels. */
const maxViewport = { width: 1920, height: 1200 };

interface EngineOptions {
  /** A path, a URL or `off`. Default: the Chromium of this machine. */
  browser?: string | undefined;
  /** Maximum number of open sessions. */
  sessions: number;
  policy: PolicySource;
  resolve?: Resolve | undefined;
  log: Log;
  /** Number of sessions after which a browser is replaced. */
  recycleAfter?: number | undefined;
  recordingBytes?: number | undefined;
  /** Additional browser switches, for tests. */
  switches?: readonly string[] | undefined;
}

export interface OpenBrowser {
  policy: BrowserPolicy;
  viewport?: { width: number; height: number } | undefined;
  /** The initial page. Default: empty. */
  page?: OpenedPage | undefined;
  storageState?: StorageState | undefined;
  record?: boolean | undefined;
  /** If the maximum number of sessions is open, waits for one to end, until this aborts. */
  waitForRoom?: AbortSignal | undefined;
}

/** The browser sessions of this process. The first session starts a browser. */
export class BrowserEngine {
  private readonly options: EngineOptions;
  private readonly place: string | undefined;
  private readonly sessions = new Set<BrowserSession>();
  private readonly browsers = new Set<SharedBrowser>();
  private current: Promise<SharedBrowser> | undefined;
  private opening = 0;
  private readonly waiting = new Set<() => void>();
  private closed = false;
  private readonly warm = new WarmSession();
  private recordings: Promise<string> | undefined;
  private recorded = 0;

  constructor(options: EngineOptions) {
    this.options = options;
    this.place = options.browser === 'off' ? undefined : (options.browser ?? findChromium());
  }

  /** Whether a browser is configured. Starting it may still fail. */
  get available(): boolean {
    return this.place !== undefined;
  }

  /** The path or URL of the browser. Throws if no browser is configured or installed. */
  checkAvailable(): string {
    if (this.place !== undefined) return this.place;
    throw new BrowserFailure(
      'off',
      'This service has no browser. The operator can install Chromium, or name one in DRYDOCK_BROWSER',
    );
  }

  /** Process IDs of browsers, for monitoring. */
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
          // The browser may have crashed a moment ago without being marked unfit yet.
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
      (await this.warmSessionFor(browser, wanted)) ?? (await this.begin(browser, permissions, wanted));
    this.keep(browser, session, wanted);
    return session;
  }

  async close(): Promise<void> {
    this.closed = true;
    this.roomMade();
    await this.current?.catch(() => {});
    const dropped = this.warm.drop();
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
          `${this.options.sessions} browser sessions are open, the maximum (DRYDOCK_BROWSER_SESSIONS). Close one, or try again later`,
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

  /** Waiting callers check again. */
  private roomMade(): void {
    for (const tell of [...this.waiting]) tell();
  }

  /** Reserves a session in the current browser, or in a new one if that is used up. */
  private async reserve(place: string): Promise<SharedBrowser> {
    for (;;) {
      const asked = this.current;
      const browser = await asked?.catch(() => undefined);
      if (browser?.reserve()) return browser;
      // Another caller may have started it already.
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
      const context = await withTimeout(openTimeout, opening, () => {
        // Closes the session if it still opens later.
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

  /** Returns the warm session, unless stored state or a recording is requested. */
  private async warmSessionFor(
    browser: SharedBrowser,
    { policy, viewport, page, storageState, record }: OpenBrowser,
  ): Promise<BrowserSession | undefined> {
    if (storageState || record) return undefined;
    const session = await this.warm.take({ browser, page, ...sizeOf(viewport) });
    await session?.applyPolicy(policy);
    return session;
  }

  /** Prepares a session for the next request. Not in a remote browser, which may be shared with others. */
  private prepare(browser: SharedBrowser, { viewport, page }: Pick<OpenBrowser, 'viewport' | 'page'>): void {
    if (this.closed || !browser.isFit || browser.pid === undefined) return;
    const nothing = new Permissions({ mode: 'allowlist' });
    this.warm.prepare({ browser, page, ...sizeOf(viewport) }, () =>
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
    width: Math.min(Math.max(100, Math.round(width)), maxViewport.width),
    height: Math.min(Math.max(100, Math.round(height)), maxViewport.height),
  };
}
