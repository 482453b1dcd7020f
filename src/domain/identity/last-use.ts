import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/database/database.ts';
import * as sessions from '../../platform/database/queries/console-sessions.ts';
import * as keys from '../../platform/database/queries/keys.ts';
import type { Log } from '../../platform/log.ts';
import type { SessionUse } from './authenticate.ts';

/** Records the last use of each key and session in batches, outside the request. */
export class LastUse {
  private readonly db: Db;
  private readonly clock: Clock;
  private readonly log: Log;
  private uses = new Map<string, number>();
  private visits = new Map<string, { at: number; address: string; organizationId: string | null }>();
  private timer: NodeJS.Timeout | undefined;

  constructor(db: Db, clock: Clock, log: Log) {
    this.db = db;
    this.clock = clock;
    this.log = log;
  }

  note(keyId: string): void {
    this.uses.set(keyId, this.clock());
    this.flushSoon();
  }

  noteSession({ id, organizationId }: SessionUse, address: string): void {
    const chosen = organizationId ?? this.visits.get(id)?.organizationId ?? null;
    this.visits.set(id, { at: this.clock(), address, organizationId: chosen });
    this.flushSoon();
  }

  async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    await Promise.all([this.flushKeys(), this.flushSessions()]).catch((error: unknown) =>
      this.log.error('Last use of keys and sessions could not be stored', {}, error),
    );
  }

  private flushSoon(): void {
    this.timer ??= setTimeout(() => void this.flush(), 5_000).unref();
  }

  private async flushKeys(): Promise<void> {
    if (this.uses.size === 0) return;
    const uses = { ids: [...this.uses.keys()], times: [...this.uses.values()] };
    this.uses = new Map();
    await this.db.run(keys.touch, uses);
  }

  private async flushSessions(): Promise<void> {
    if (this.visits.size === 0) return;
    const visits = [...this.visits.values()];
    const ids = [...this.visits.keys()];
    this.visits = new Map();
    await this.db.run(sessions.touch, {
      ids,
      times: visits.map(({ at }) => at),
      addresses: visits.map(({ address }) => address),
      organizationIds: visits.map(({ organizationId }) => organizationId),
    });
  }
}
