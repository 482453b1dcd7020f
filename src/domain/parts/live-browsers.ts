import type { OpenBrowser } from '../../browser/engine.ts';
import { BrowserFailure } from '../../browser/failure.ts';
import { type BrowserPolicy, samePolicy } from '../../browser/policy.ts';
import type { BrowserSession, SessionEnd } from '../../browser/session.ts';
import { Refusal } from '../../contract/errors.ts';
import * as rows from '../../platform/database/queries/browser-sessions.ts';
import { withTimeout } from '../../platform/flow/deadline.ts';
import { newId } from '../../platform/ids.ts';
import { redact } from '../../platform/log.ts';
import type { Engines } from '../base/engines.ts';
import { conflict } from '../base/refusals.ts';
import type { AccessWatch } from './access-watch.ts';
import { claimBrowser } from './browser-claim.ts';
import { addEvent } from './browser-events.ts';
import { browserRefusal } from './browser-refusals.ts';
import { keepStorage, readStorage } from './browser-storage.ts';

/** Milliseconds without a command until a browser is put to sleep. */
const idleAfter = 10 * 60_000;
/** Milliseconds without renewal after which a process loses its browsers. */
const lease = 30_000;
/** Milliseconds another process gets to release a browser. */
const releaseTimeout = 3_000;
/** Attempts to claim a browser; after each failed one, the browser in the way is released. */
const maxClaims = 3;

/** A running browser of this process. */
export interface AwakeBrowser {
  row: rows.BrowserRow;
  bootId: string;
  browser: BrowserSession;
  /** Number of commands under way. */
  running: number;
  lastActiveAt: number;
}

type Parts = Pick<Engines, 'db' | 'vault' | 'browsers' | 'notifications' | 'clock' | 'log'> & {
  accessWatch: AccessWatch;
};

/**
 * The running browsers of this process. Starts them for commands, and puts them to sleep when idle, when their owner
 * needs another one, or when another process claims them. Operations on one browser are serialized.
 */
export class LiveBrowsers {
  private readonly parts: Parts;
  private readonly holderId = newId('brh');
  private readonly awake = new Map<string, AwakeBrowser>();
  private readonly lines = new Map<string, Promise<void>>();
  private readonly unsubscribe: () => void;
  private beating: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(parts: Parts) {
    this.parts = parts;
    this.unsubscribe = parts.notifications.on(rows.wantedChannel, (id) => {
      if (id !== undefined && this.awake.has(id)) void this.sleep(id);
    });
  }

  /** Called where no other process can hold browsers: clears all claims. */
  async beAlone(): Promise<void> {
    await this.parts.db.run(rows.forgetHolders);
  }

  /** Runs work with a browser, starting it if needed. Rejects with a refusal if it cannot start. */
  async use<T>(row: rows.BrowserRow, work: (awake: AwakeBrowser) => Promise<T>): Promise<T> {
    const { clock } = this.parts;
    const awake = await this.inLine(row.id, async () => {
      const found = this.awake.get(row.id) ?? (await this.wake(row));
      const policy = row.effective as BrowserPolicy;
      if (!samePolicy(policy, found.row.effective as BrowserPolicy)) {
        await found.browser.applyPolicy(policy);
        found.row = { ...found.row, effective: policy };
      }
      found.running++;
      return found;
    });
    try {
      return await work(awake);
    } finally {
      awake.running--;
      awake.lastActiveAt = clock();
    }
  }

  /** Starts the browser, unless it is running here or elsewhere. */
  async open(row: rows.BrowserRow): Promise<void> {
    if (row.state === 'active' && row.holderId !== this.holderId) return;
    await this.use(row, async () => {});
  }

  /** Closes for good. A profile keeps its storage; everything else is lost. */
  close(row: rows.BrowserRow, reason: string): Promise<void> {
    const { db, vault } = this.parts;
    return this.inLine(row.id, async () => {
      const awake = this.awake.get(row.id);
      if (!awake && row.state === 'active') await this.askOthers(row.id);
      this.awake.delete(row.id);
      const stored = row.profile === null ? undefined : await awake?.browser.storageState().catch(() => {});
      await awake?.browser.close();
      await db.transaction(async (trx) => {
        const closed = await trx.row(rows.close, { id: row.id, reason });
        if (!closed) return;
        if (stored) await keepStorage(trx, vault, row, stored);
        await addEvent(trx, row.id, { event: 'closed', reason });
      });
    });
  }

  /** Puts browsers to sleep that were idle for a while. */
  async putIdleToSleep(): Promise<void> {
    const late = this.parts.clock() - idleAfter;
    const idle = [...this.awake.values()].filter(
      ({ lastActiveAt, running }) => running === 0 && lastActiveAt <= late,
    );
    await Promise.all(idle.map(({ row }) => this.sleep(row.id)));
  }

  /** Puts all browsers to sleep, so that they resume after a restart; closes those that take too long or are busy. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.unsubscribe();
    clearInterval(this.beating);
    if (!this.beating) return;
    await withTimeout(
      releaseTimeout,
      Promise.all([...this.awake.keys()].map((id) => this.sleep(id))),
      () => {},
    );
    const left = [...this.awake.values()];
    this.awake.clear();
    for (const { row } of left)
      await this.parts.db.row(rows.close, { id: row.id, reason: 'the service stopped' });
    await this.parts.db.run(rows.leave, { id: this.holderId });
  }

  private async wake(row: rows.BrowserRow): Promise<AwakeBrowser> {
    const { db } = this.parts;
    if (this.stopped) throw conflict('The service is stopping. Try again in a moment', 'BROWSER_CLOSED');
    await this.beat();
    for (let nth = 0; nth < maxClaims; nth++) {
      const claim = await claimBrowser(db, row, this.holderId);
      if (claim.kind === 'claimed') return this.boot(claim.row, claim.woken);
      if (claim.kind === 'lost') await db.row(rows.close, { id: row.id, reason: 'it was lost' });
      else if (this.awake.has(claim.id)) await this.sleep(claim.id);
      else await this.askOthers(claim.id);
    }
    throw new Refusal(
      'RATE_LIMITED',
      'Another process of the service is using this browser. Try again in a moment',
      {
        details: { reason: 'BROWSER_BUSY' },
        retryAfter: 2,
      },
    );
  }

  private async boot(row: rows.BrowserRow, woken: boolean): Promise<AwakeBrowser> {
    const { db, vault, clock, accessWatch } = this.parts;
    const bootId = row.bootId as string;
    try {
      const storageState = await readStorage(db, vault, row);
      const browser = await this.start({ policy: row.effective as BrowserPolicy, storageState });
      const awake = { row, bootId, browser, running: 0, lastActiveAt: clock() };
      this.awake.set(row.id, awake);
      const watched = accessWatch.watch(row);
      watched.signal.addEventListener('abort', () => void this.close(row, 'its owner lost access'));
      void browser.ended.finally(() => watched.stop()).then((end) => this.lose(awake, end));
      await browser.reopen(row.tabs);
      await addEvent(db, row.id, { event: woken ? 'woken' : 'opened', bootId, tabCount: row.tabs.length });
      return awake;
    } catch (error) {
      const started = this.awake.get(row.id);
      this.awake.delete(row.id);
      await started?.browser.close();
      await db.run(rows.deactivate, { id: row.id, holderId: this.holderId });
      throw browserRefusal(error);
    }
  }

  /** If the process has no free slot, the least recently used idle browser is put to sleep, regardless of its owner. */
  private async start(wanted: OpenBrowser): Promise<BrowserSession> {
    const { browsers } = this.parts;
    try {
      return await browsers.open(wanted);
    } catch (error) {
      const [idle] = [...this.awake.values()]
        .filter(({ running }) => running === 0)
        .toSorted((a, b) => a.lastActiveAt - b.lastActiveAt);
      if (!idle || !(error instanceof BrowserFailure) || error.kind !== 'capacity') throw error;
      await this.sleep(idle.row.id);
      return browsers.open(wanted);
    }
  }

  /** Seals the storage of a browser and closes it, unless a command is running. */
  private sleep(id: string): Promise<void> {
    return this.inLine(id, async () => {
      const awake = this.awake.get(id);
      if (!awake || awake.running > 0) return;
      const { db, vault } = this.parts;
      const { browser, row } = awake;
      try {
        const stored = await browser.storageState();
        const tabs = browser.addresses.filter((address) => /^https?:/.test(address));
        this.awake.delete(id);
        await browser.close();
        await db.transaction(async (trx) => {
          const now = await trx.row(rows.lock, { id });
          // The session was closed meanwhile. The storage is dropped, since its profile may belong to another browser
          // by now.
          if (now?.holderId !== this.holderId) return;
          const sealedId = await keepStorage(trx, vault, row, stored);
          await trx.row(rows.sleep, { id, holderId: this.holderId, sealedId, tabs });
          await addEvent(trx, id, { event: 'slept', tabCount: tabs.length });
        });
      } catch (error) {
        await this.giveUp(awake, 'it did not answer when it was put to sleep', error);
      }
    });
  }

  /** The browser process ended by itself. */
  private lose(awake: AwakeBrowser, { message }: SessionEnd): void {
    const { id } = awake.row;
    if (this.awake.get(id) !== awake) return;
    this.awake.delete(id);
    void this.inLine(id, () => this.giveUp(awake, message));
  }

  private async giveUp({ row, browser }: AwakeBrowser, reason: string, error?: unknown): Promise<void> {
    const { db, log } = this.parts;
    this.awake.delete(row.id);
    await browser.close().catch(() => {});
    const close = () => db.row(rows.close, { id: row.id, reason });
    // A command ending at the same moment may lock the rows in the other order; the deadlock's loser retries.
    const closed = await close()
      .catch(close)
      .catch(() => undefined);
    if (closed) await addEvent(db, row.id, { event: 'closed', reason }).catch(() => {});
    const cause = error instanceof Error ? redact(error.message) : undefined;
    log.info('Browser lost', {
      browserSessionId: row.id,
      reason,
      ...(cause !== undefined && { cause }),
    });
  }

  /** Asks the process that holds the browser to release it. Resolves when it has, or after a timeout. */
  private async askOthers(id: string): Promise<void> {
    const { db, notifications } = this.parts;
    let timer: NodeJS.Timeout | undefined;
    let stop = (): void => {};
    const free = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, releaseTimeout);
      stop = notifications.on(rows.freeChannel, (freed) => {
        if (freed === id) resolve();
      });
    });
    try {
      await db.row(rows.ask, { id });
      await free;
    } finally {
      clearTimeout(timer);
      stop();
    }
  }

  private async beat(): Promise<void> {
    await this.parts.db.run(rows.heartbeat, { id: this.holderId, lease });
    this.beating ??= setInterval(() => {
      this.tick().catch((error: Error) => {
        this.parts.log.warn('Browser upkeep failed', { error: redact(error.message) });
      });
    }, lease / 3).unref();
  }

  /** Renews the lease of this process, ends browsers whose session it has lost, and puts idle ones to sleep. */
  private async tick(): Promise<void> {
    const { db } = this.parts;
    const ids = [...this.awake.keys()];
    await this.beat();
    const held = await db.rows(rows.stillHeld, { ids, holderId: this.holderId });
    const kept = new Set(held.map(({ id }) => id));
    for (const id of ids) if (!kept.has(id)) await this.end(id);
    await this.putIdleToSleep();
  }

  /** Ends a browser whose session is gone or held elsewhere, without writing anything. */
  private end(id: string): Promise<void> {
    return this.inLine(id, async () => {
      const awake = this.awake.get(id);
      this.awake.delete(id);
      await awake?.browser.close();
    });
  }

  private async inLine<T>(id: string, work: () => Promise<T>): Promise<T> {
    const before = this.lines.get(id);
    let leave = (): void => {};
    const mine = new Promise<void>((resolve) => {
      leave = resolve;
    });
    this.lines.set(id, mine);
    await before;
    try {
      return await work();
    } finally {
      leave();
      if (this.lines.get(id) === mine) this.lines.delete(id);
    }
  }
}
