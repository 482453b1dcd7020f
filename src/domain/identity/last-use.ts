import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/database/database.ts';
import * as keys from '../../platform/database/queries/keys.ts';
import type { Log } from '../../platform/log.ts';

/** Remembers when each key was last used and writes it down in batches, off the request's path. */
export class LastUse {
  private readonly db: Db;
  private readonly clock: Clock;
  private readonly log: Log;
  private uses = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;

  constructor(db: Db, clock: Clock, log: Log) {
    this.db = db;
    this.clock = clock;
    this.log = log;
  }

  note(keyId: string): void {
    this.uses.set(keyId, this.clock());
    this.timer ??= setTimeout(() => void this.flush(), 5_000).unref();
  }

  async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.uses.size === 0) return;
    const uses = { ids: [...this.uses.keys()], times: [...this.uses.values()] };
    this.uses = new Map();
    await this.db
      .run(keys.touch, uses)
      .catch((error: unknown) => this.log.error('Last use of keys was not written', {}, error));
  }
}
