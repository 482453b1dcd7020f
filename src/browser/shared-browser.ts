import type { Browser } from 'playwright-core';
import type { Log } from '../platform/log.ts';
import { launchChromium } from './chromium.ts';
import { GuardProxy } from './guard-proxy.ts';
import { memoryOf } from './memory.ts';
import { connectRemote, type RemoteChromium } from './remote.ts';
import type { BrowserSession } from './session.ts';

/** Sessions after which a browser is replaced, because closing them does not free all memory. */
const maxSessions = 50;
const mebibyte = 1024 * 1024;
/** Memory limit in bytes: for a browser, plus for each session. A session takes about 70 MB, a large page far more. */
const memoryLimit = { browser: 700 * mebibyte, session: 300 * mebibyte };
/** Milliseconds that a browser without sessions is kept. */
const idleTimeout = 60_000;

interface Running {
  browser: Browser;
  pid?: number;
  listen?: RemoteChromium['listen'];
  end(): Promise<void>;
}

interface StartOptions {
  /** A path or a URL. */
  place: string;
  log: Log;
  recycleAfter?: number | undefined;
  switches?: readonly string[] | undefined;
}

/** A browser process and its sessions. Once retired, it exits with its last session. */
export class SharedBrowser {
  private readonly sessions = new Set<BrowserSession>();
  private readonly running: Running;
  private readonly recycleAfter: number;
  private readonly ownGuard: GuardProxy | undefined;
  private readonly onGone: () => void;
  private begun = 0;
  /** The last measurement in bytes, since measuring takes longer than opening a session. */
  private memory = 0;
  /** Number of reserved sessions. */
  private expected = 0;
  private retired = false;
  private ending: Promise<void> | undefined;
  private idling: NodeJS.Timeout | undefined;

  private constructor(
    running: Running,
    ownGuard: GuardProxy | undefined,
    recycleAfter: number,
    onGone: () => void,
  ) {
    this.running = running;
    this.recycleAfter = recycleAfter;
    this.ownGuard = ownGuard;
    this.onGone = onGone;
    running.browser.on('disconnected', () => {
      this.retired = true;
      for (const session of this.sessions) session.lost();
      void this.end();
    });
  }

  static async start(options: StartOptions, onGone: () => void): Promise<SharedBrowser> {
    const { place, log, switches, recycleAfter = maxSessions } = options;
    if (/^(?:wss?|https?):/.test(place)) {
      const { browser, listen } = await connectRemote(place);
      // Closing the connection closes its contexts.
      const end = (): Promise<void> => browser.close().catch(() => {});
      return new SharedBrowser({ browser, listen, end }, undefined, recycleAfter, onGone);
    }
    // Blocks all requests outside of sessions.
    const guard = new GuardProxy({
      policy: async () => ({ local: false, networks: [] }),
      refusalOfOrigin: () => 'requests outside of sessions are blocked',
    });
    try {
      const launched = await launchChromium({ path: place, proxy: await guard.open(), log, switches });
      return new SharedBrowser(launched, guard, recycleAfter, onGone);
    } catch (error) {
      await guard.close();
      throw error;
    }
  }

  get browser(): Browser {
    return this.running.browser;
  }

  /** Whether it accepts further sessions. */
  get isFit(): boolean {
    return !this.retired && this.browser.isConnected();
  }

  get pid(): number | undefined {
    return this.running.pid;
  }

  get listen(): RemoteChromium['listen'] | undefined {
    return this.running.listen;
  }

  reserve(): boolean {
    if (!this.isFit) return false;
    this.begun++;
    clearTimeout(this.idling);
    const allowed = memoryLimit.browser + this.sessions.size * memoryLimit.session;
    if (this.begun > this.recycleAfter || this.memory > allowed) this.retired = true;
    if (!this.retired) this.expected++;
    void this.weigh();
    this.endWhenUnused();
    return !this.retired;
  }

  private async weigh(): Promise<void> {
    if (this.pid !== undefined) this.memory = (await memoryOf(this.pid)) ?? 0;
  }

  /** Fills a reservation, or releases it without a session. */
  begin(session: BrowserSession | undefined): void {
    this.expected--;
    if (!session) return this.endWhenUnused();
    this.sessions.add(session);
    if (!this.browser.isConnected()) session.lost();
  }

  remove(session: BrowserSession): void {
    this.sessions.delete(session);
    void this.weigh();
    this.endWhenUnused();
  }

  private endWhenUnused(): void {
    if (this.sessions.size + this.expected > 0) return;
    clearTimeout(this.idling);
    if (this.retired) void this.end();
    else this.idling = setTimeout(() => void this.end(), idleTimeout).unref();
  }

  end(): Promise<void> {
    this.retired = true;
    clearTimeout(this.idling);
    this.ending ??= (async () => {
      this.onGone();
      await this.running.end();
      await this.ownGuard?.close();
    })();
    return this.ending;
  }
}
