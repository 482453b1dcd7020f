import type pg from 'pg';
import { Semaphore } from '../flow/semaphore.ts';

/** The part of a pool that statements and transactions use. */
export interface Connectable {
  query(config: pg.QueryConfig): Promise<pg.QueryResult>;
  connect(): Promise<pg.PoolClient>;
}

/** Uses at most `size` connections of a pool, so that the rest stays free for others. */
export class LimitedPool implements Connectable {
  private readonly pool: pg.Pool;
  private readonly semaphore: Semaphore;

  constructor(pool: pg.Pool, size: number) {
    this.pool = pool;
    this.semaphore = new Semaphore(size);
  }

  query(config: pg.QueryConfig): Promise<pg.QueryResult> {
    return this.semaphore.run(() => this.pool.query(config));
  }

  async connect(): Promise<pg.PoolClient> {
    const release = await this.semaphore.acquire();
    try {
      const client = await this.pool.connect();
      // The pool sets a new `release` each time it lends a client.
      const toPool = client.release.bind(client);
      client.release = (error) => {
        toPool(error);
        release();
      };
      return client;
    } catch (error) {
      release();
      throw error;
    }
  }
}

/** How many of the pool's connections background work may use. A pool of up to four is shared entirely. */
export function backgroundConnections(poolSize: number): number {
  return poolSize <= 4 ? poolSize : Math.max(4, Math.floor(poolSize * 0.7));
}
