import { randomUUID } from 'node:crypto';
import type { Db } from './database/database.ts';
import * as replicas from './database/queries/replicas.ts';
import { version } from './version.ts';

/** Milliseconds between two heartbeats. */
const heartbeatInterval = 5_000;

/** Announces this process, with its role and version, to the other processes on the database. */
export class Presence {
  private readonly db: Db;
  private readonly role: replicas.Role;
  private readonly id = randomUUID();
  private timer: NodeJS.Timeout | undefined;

  constructor(db: Db, role: replicas.Role) {
    this.db = db;
    this.role = role;
  }

  async begin(): Promise<void> {
    await this.beat();
    // The next heartbeat makes up for a missed one.
    this.timer = setInterval(() => void this.beat().catch(() => {}), heartbeatInterval).unref();
  }

  async beat(): Promise<void> {
    await this.db.run(replicas.heartbeat, { id: this.id, role: this.role, version });
  }

  /** The number of other processes that serve requests. */
  async others(): Promise<number> {
    return (await this.db.one(replicas.others, { id: this.id })).count;
  }

  async end(): Promise<void> {
    if (this.timer === undefined) return;
    clearInterval(this.timer);
    await this.db.run(replicas.leave, { id: this.id }).catch(() => {});
  }
}
