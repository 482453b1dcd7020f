import type { OpenBrowser } from '../../browser/engine.ts';
import { BrowserFailure } from '../../browser/failure.ts';
import { type BrowserPolicy, samePolicy } from '../../browser/policy.ts';
import type { BrowserSession, SessionEnd } from '../../browser/session.ts';
import { within } from '../../browser/within.ts';
import { Refusal } from '../../contract/errors.ts';
import * as rows from '../../platform/database/queries/browser-sessions.ts';
import { newId } from '../../platform/ids.ts';
import { redact } from '../../platform/log.ts';
import type { Services } from '../context.ts';
import { conflict } from '../refusals.ts';
import { claimBrowser } from './claim.ts';
import { addEvent } from './entries.ts';
import { browserRefusal } from './refusals.ts';
import { keepStorage, readStorage } from './storage.ts';

/** Milliseconds without a command after which a browser is put to sleep. */
const idleAfter = 10 * 60_000;
/** Milliseconds for which a silent process keeps its browsers. */
const lease = 30_000;
/** Milliseconds that another process is given to let go of a browser. */
const patience = 3_000;
/** How often a browser is claimed anew after another one was let go of. */
const mostClaims = 3;

/** A browser that is awake in this process. */
export interface AwakeBrowser {
  row: rows.BrowserRow;
  bootId: string;
  browser: BrowserSession;
  /** Commands under way. */
  running: number;
  lastActiveAt: number;
}

type Parts = Pick<Services, 'db' | 'vault' | 'browsers' | 'notifications' | 'accessWatch' | 'clock' | 'log'>;

/**
 * The browsers of this process: wakes them up for commands, and puts them to sleep when nobody needs them, when their
 * owner needs another one, or when another process does. What happens to one browser happens in order.
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

  /** Where no other process can have browsers, what is said to be open anywhere is not. */
  async beAlone(): Promise<void> {
    await this.parts.db.run(rows.forgetHolders);
  }

  /** Works with a browser, which is woken up for it. Rejects with a refusal when it cannot be. */
  async use<T>(row: rows.BrowserRow, work: (awake: AwakeBrowser) => Promise<T>): Promise<T> {
    const { clock } = this.parts;
    const awake = await this.inLine(row.id, async () => {
      const found = this.awake.get(row.id) ?? (await this.wake(row));
      const policy = row.effective as BrowserPolicy;
      if (!samePolicy(policy, found.row.effective as BrowserPolicy)) {
        await found.browser.comply(policy);
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

  /** Awake here or elsewhere. */
  async open(row: rows.BrowserRow): Promise<void> {
    if (row.state === 'active' && row.holderId !== this.holderId) return;
    await this.use(row, async () => {});
  }

  /** For good. A profile keeps what is stored; everything else is gone. */
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

  /** Those that nobody has used for a while. */
  async putIdleToSleep(): Promise<void> {
    const late = this.parts.clock() - idleAfter;
    const idle = [...this.awake.values()].filter(
      ({ lastActiveAt, running }) => running === 0 && lastActiveAt <= late,
    );
    await Promise.all(idle.map(({ row }) => this.sleep(row.id)));
  }

  /** Puts all to sleep, so that they are there again after the service. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.unsubscribe();
    clearInterval(this.beating);
    if (!this.beating) return;
    await within(patience, Promise.all([...this.awake.keys()].map((id) => this.sleep(id))), () => {});
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
    for (let nth = 0; nth < mostClaims; nth++) {
      const claim = await claimBrowser(db, row, this.holderId);
      if (claim.kind === 'claimed') return this.boot(claim.row, claim.woken);
      if (claim.kind === 'lost') await db.row(rows.close, { id: row.id, reason: 'it was lost' });
      else if (this.awake.has(claim.id)) await this.sleep(claim.id);
      else await this.askOthers(claim.id);
    }
    throw new Refusal(
      'RATE_LIMITED',
      'The browser is in use elsewhere in the service. Try again in a moment',
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

  /** Where the process has no place left, the one that was used longest ago makes room, whose ever it is. */
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

  /** Unless a command runs in it. What is stored in it is sealed, and it is closed. */
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
          // Closed meanwhile: nothing of it is kept, since its profile may be another browser's by now.
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

  /** Its browser has ended by itself. */
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
    // A command that ends at the same moment may hold the rows in the other order: one of the two is sent away.
    const closed = await close()
      .catch(close)
      .catch(() => undefined);
    if (closed) await addEvent(db, row.id, { event: 'closed', reason }).catch(() => {});
    const cause = error instanceof Error ? redact(error.message) : undefined;
    log.info('A browser was lost', {
      browserSessionId: row.id,
      reason,
      ...(cause !== undefined && { cause }),
    });
  }

  /** Another process has it. Resolves when that has let go of it, or has had time to. */
  private async askOthers(id: string): Promise<void> {
    const { db, notifications } = this.parts;
    let timer: NodeJS.Timeout | undefined;
    let stop = (): void => {};
    const free = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, patience);
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
    await this.parts.db.run(rows.beat, { id: this.holderId, lease });
    this.beating ??= setInterval(() => {
      this.tick().catch((error: Error) => {
        this.parts.log.warn('Browsers were not looked after', { error: redact(error.message) });
      });
    }, lease / 3).unref();
  }

  /** Says that this process lives, and ends browsers whose session is no longer here. */
  private async tick(): Promise<void> {
    const { db } = this.parts;
    const ids = [...this.awake.keys()];
    await this.beat();
    const held = await db.rows(rows.stillHeld, { ids, holderId: this.holderId });
    const kept = new Set(held.map(({ id }) => id));
    for (const id of ids) if (!kept.has(id)) await this.end(id);
    await this.putIdleToSleep();
  }

  /** Of something that is no longer there, or no longer here: nothing is written about it. */
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
