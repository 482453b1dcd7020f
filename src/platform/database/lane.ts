import type pg from 'pg';

/** Lends connections. */
export interface Lender {
  query(config: pg.QueryConfig): Promise<pg.QueryResult>;
  connect(): Promise<pg.PoolClient>;
}

/** Part of the connections of a pool: whoever borrows by it leaves the others to those who borrow from the pool. */
export class Lane implements Lender {
  private readonly pool: pg.Pool;
  private readonly most: number;
  private lent = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(pool: pg.Pool, most: number) {
    this.pool = pool;
    this.most = most;
  }

  async query(config: pg.QueryConfig): Promise<pg.QueryResult> {
    await this.enter();
    try {
      return await this.pool.query(config);
    } finally {
      this.leave();
    }
  }

  async connect(): Promise<pg.PoolClient> {
    await this.enter();
    try {
      const client = await this.pool.connect();
      // The pool gives a client another function each time it lends it.
      const release = client.release.bind(client);
      client.release = (error) => {
        release(error);
        this.leave();
      };
      return client;
    } catch (error) {
      this.leave();
      throw error;
    }
  }

  private async enter(): Promise<void> {
    if (this.lent < this.most) this.lent++;
    // Whoever leaves hands its place on.
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  private leave(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.lent--;
  }
}

/** Of so many connections, those that work in the background may have beside requests. With few they share them all. */
export function ofBackground(all: number): number {
  return all <= 4 ? all : Math.max(4, Math.floor(all * 0.7));
}
