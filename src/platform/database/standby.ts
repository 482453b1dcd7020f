import type pg from 'pg';
import type { Log } from '../log.ts';
import { DatabaseUnavailable } from './losses.ts';

/** Milliseconds between two checks for a missing standby. */
const checkInterval = 500;

/** Selects whether a transaction of this user is written but not yet confirmed by a standby. */
const question = `select exists (select from pg_stat_activity
  where wait_event = 'SyncRep' and datname = current_database() and usename = current_user) as waiting`;

/**
 * Detects a missing synchronous standby. Without one, PostgreSQL blocks every commit until it is back, and no timeout
 * ends the wait. A slow commit triggers a check; while a standby is missing, writes are refused at once, and reads
 * continue.
 */
export class StandbyMonitor {
  private readonly dial: () => Promise<pg.Client>;
  private readonly log: Log;
  private readonly confirmationTimeout: number;
  private missing = false;
  private checking: Promise<void> | undefined;
  private next: NodeJS.Timeout | undefined;

  constructor(options: { dial: () => Promise<pg.Client>; log: Log; confirmationTimeout: number }) {
    this.dial = options.dial;
    this.log = options.log;
    this.confirmationTimeout = options.confirmationTimeout;
  }

  get isMissing(): boolean {
    return this.missing;
  }

  /** Runs a write. Rejects if it waits for a missing standby. */
  async confirmed<T>(write: () => Promise<T>): Promise<T> {
    if (this.missing) throw refusal('Nothing was written');
    let late: NodeJS.Timeout | undefined;
    const tooLong = new Promise<never>((_, reject) => {
      const runCheck = async (): Promise<void> => {
        await this.check();
        if (this.missing) reject(refusal('The request may still take effect when the standby is back'));
      };
      late = setInterval(() => void runCheck(), this.confirmationTimeout).unref();
    });
    try {
      return await Promise.race([write(), tooLong]);
    } finally {
      clearInterval(late);
    }
  }

  close(): void {
    clearTimeout(this.next);
    this.next = undefined;
  }

  /** Concurrent callers share one check. */
  private check(): Promise<void> {
    this.checking ??= this.ask().finally(() => (this.checking = undefined));
    return this.checking;
  }

  private async ask(): Promise<void> {
    // If the query fails, keep the last known state.
    const waiting = await this.waiting().catch(() => this.missing);
    if (waiting !== this.missing) {
      this.missing = waiting;
      if (waiting) this.log.error('Synchronous standby missing; writes are refused');
      else this.log.warn('Synchronous standby connected again');
    }
    if (waiting) this.next = setTimeout(() => void this.check(), checkInterval).unref();
  }

  private async waiting(): Promise<boolean> {
    const client = await this.dial();
    try {
      const { rows } = await client.query<{ waiting: boolean }>(question);
      return rows[0]?.waiting ?? false;
    } finally {
      await client.end();
    }
  }
}

function refusal(what: string): DatabaseUnavailable {
  return new DatabaseUnavailable(
    `The synchronous standby of the database is missing, so writes are refused. ${what}`,
  );
}
