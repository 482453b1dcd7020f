import { Refusal } from '../../contract/errors.ts';
import { accessChannel, ended } from '../../platform/database/queries/access.ts';
import { openGrants } from '../../platform/database/queries/study-visitors.ts';
import { redact } from '../../platform/log.ts';
import type { Engines } from '../base/engines.ts';

/** Account on whose behalf work runs, with its credential and optional project. */
interface AccountHolder {
  organizationId: string;
  userId: string;
  projectId?: string | undefined;
  keyId?: string | undefined;
  sessionId?: string | undefined;
  /** Requires an administrator of the project, or of the organization if there is no project. */
  admin?: boolean | undefined;
}

/** A visitor of a study, with or without an account. */
interface VisitorHolder {
  tokenHash: Buffer;
  studyId: string;
  projectId: string;
  userId: string | null;
}

export type Holder = AccountHolder | VisitorHolder;

/** Work running for a holder. */
export interface Watched {
  /** Aborts when the caller disconnects or the holder loses access. */
  signal: AbortSignal;
  /** Why access ended; undefined while it lasts. */
  refusal(): Refusal | undefined;
  stop(): void;
}

/** A holder with all its work in this process. */
interface Entry {
  holder: Holder;
  /** An announcement with one of these IDs concerns this holder. */
  ids: readonly (string | null | undefined)[];
  running: Set<(why: Refusal) => void>;
}

/** Milliseconds between checks of all holders, which catch missed announcements. */
const askEvery = 1_000;

type Parts = Pick<Engines, 'db' | 'notifications' | 'log'>;

/**
 * Watches the access of everybody with work running in this process. The database announces reduced access; announced
 * holders at once, and all holders every second, are checked in one statement, and work without access is aborted.
 * Bounded by the limits on the work itself: requests, leases, tunnels and browsers.
 */
export class AccessWatch {
  private readonly parts: Parts;
  private readonly entries = new Map<string, Entry>();
  private readonly due = new Set<Entry>();
  private readonly unsubscribe: () => void;
  /** The running check, and the next one if a caller is waiting for it. */
  private question: Promise<void> = Promise.resolve();
  private next: Promise<void> | undefined;
  private failing = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(parts: Parts) {
    this.parts = parts;
    this.unsubscribe = parts.notifications.on(accessChannel, (id) => void this.ask(id));
  }

  /** Watches until stopped or the caller disconnects. */
  watch(holder: Holder, callerGone?: AbortSignal): Watched {
    const key = keyOf(holder);
    const entry = this.entries.get(key) ?? { holder, ids: idsOf(holder), running: new Set() };
    this.entries.set(key, entry);
    const over = new AbortController();
    let refusal: Refusal | undefined;
    const end = (why: Refusal): void => {
      refusal = why;
      over.abort(why);
      stop();
    };
    const hangUp = (): void => {
      over.abort(callerGone?.reason);
      stop();
    };
    const stop = (): void => {
      callerGone?.removeEventListener('abort', hangUp);
      entry.running.delete(end);
      if (entry.running.size === 0 && this.entries.get(key) === entry) this.entries.delete(key);
    };
    entry.running.add(end);
    callerGone?.addEventListener('abort', hangUp);
    if (callerGone?.aborted) hangUp();
    this.timer ??= setInterval(() => void this.ask(), askEvery).unref();
    return { signal: over.signal, refusal: () => refusal, stop };
  }

  /** Runs work for a holder. Refuses if the holder has no access; aborts and refuses when it ends. */
  async during<T>(
    holder: Holder,
    callerGone: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const watched = this.watch(holder, callerGone);
    const refuse = (): void => {
      const refusal = watched.refusal();
      if (refusal) throw refusal;
    };
    try {
      await this.ask(holder.userId ?? holder.projectId);
      refuse();
      const result = await work(watched.signal);
      refuse();
      return result;
    } catch (error) {
      refuse();
      throw error;
    } finally {
      watched.stop();
    }
  }

  stop(): void {
    clearInterval(this.timer);
    this.unsubscribe();
  }

  /** Checks the holders an announcement names, or all. Resolves after the check. */
  private ask(id?: string): Promise<void> {
    for (const entry of this.entries.values())
      if (id === undefined || entry.ids.includes(id)) this.due.add(entry);
    // A running check may predate the announcement, so another one follows.
    this.next ??= this.question.then(() => {
      this.next = undefined;
      this.question = this.askDue();
      return this.question;
    });
    return this.next;
  }

  private async askDue(): Promise<void> {
    const entries = [...this.due];
    this.due.clear();
    try {
      for (const [entry, why] of await this.endedOf(entries)) for (const end of [...entry.running]) end(why);
      this.failing = false;
    } catch (error) {
      // If the query fails, everybody keeps the last known state; the next round asks again.
      if (!this.failing)
        this.parts.log.warn('Access check failed', { error: redact((error as Error).message) });
      this.failing = true;
    }
  }

  private async endedOf(entries: readonly Entry[]): Promise<[Entry, Refusal][]> {
    const { db } = this.parts;
    const accounts = entries.flatMap((entry) =>
      'tokenHash' in entry.holder ? [] : [[entry, entry.holder] as const],
    );
    const visitors = entries.flatMap((entry) =>
      'tokenHash' in entry.holder ? [[entry, entry.holder.tokenHash.toString('hex')] as const] : [],
    );
    const over: [Entry, Refusal][] = [];
    if (accounts.length > 0) {
      const holders = accounts.map(([, holder]) => holder);
      const rows = await db.rows(ended, {
        organizationIds: holders.map(({ organizationId }) => organizationId),
        userIds: holders.map(({ userId }) => userId),
        projectIds: holders.map(({ projectId }) => projectId ?? null),
        keyIds: holders.map(({ keyId }) => keyId ?? null),
        sessionIds: holders.map(({ sessionId }) => sessionId ?? null),
        admins: holders.map(({ admin }) => admin ?? false),
      });
      for (const { n, works } of rows) {
        const [entry] = accounts[n - 1] ?? [];
        if (entry) over.push([entry, works ? projectEnded() : accountEnded()]);
      }
    }
    if (visitors.length > 0) {
      const open = await db.rows(openGrants, { tokenHashes: visitors.map(([, hash]) => hash) });
      const left = new Set(open.map(({ tokenHash }) => tokenHash));
      for (const [entry, hash] of visitors) if (!left.has(hash)) over.push([entry, accessEnded()]);
    }
    return over;
  }
}

function keyOf(holder: Holder): string {
  if ('tokenHash' in holder) return holder.tokenHash.toString('hex');
  const { organizationId, userId, projectId, keyId, sessionId, admin } = holder;
  return [organizationId, userId, projectId, keyId, sessionId, admin].join(' ');
}

function idsOf(holder: Holder): Entry['ids'] {
  if ('tokenHash' in holder) return [holder.studyId, holder.projectId, holder.userId];
  return [holder.userId, holder.projectId, holder.keyId, holder.sessionId];
}

const details = { reason: 'ACCESS_ENDED' };

/** Whether work was refused or aborted by the watch, as opposed to another cause. */
export function isAccessEnded(error: unknown): boolean {
  return error instanceof Refusal && error.details?.['reason'] === details.reason;
}

function accountEnded(): Refusal {
  return new Refusal(
    'UNAUTHORIZED',
    'Stopped: the API key was revoked, the session ended, or its owner left the organization',
    { details },
  );
}

function projectEnded(): Refusal {
  return new Refusal('FORBIDDEN', 'Stopped: your account no longer has the required access to this project', {
    details,
  });
}

/** Says no more to a visitor, who must not learn whether the study exists. */
export function accessEnded(): Refusal {
  return new Refusal('UNAUTHORIZED', endedText, { details });
}

export const endedText = 'You no longer have access. Ask the person who sent you the link';
