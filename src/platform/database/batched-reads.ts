import type pg from 'pg';
import type { Connectable } from './limited-pool.ts';
import { lossOf } from './losses.ts';
import { type Batched, batchNumber } from './query.ts';

type Row = Record<string, unknown>;

/** Sets of values that wait to be sent, each with its number in the batch. */
interface Batch {
  numbers: Map<string, number>;
  sets: unknown[][];
  rows: Promise<Row[][]>;
}

/** Sets of values of one statement. */
const most = 64;

/**
 * Sends the reads of a query that wait for a connection at the same time as one statement, and equal ones once. Each
 * reader gets what was committed when it asked, as if it had asked alone, because the statement begins after that.
 */
export class BatchedReads {
  private readonly source: Connectable;
  private readonly named: boolean;
  private readonly waiting = new Map<string, Batch>();

  constructor(source: Connectable, named: boolean) {
    this.source = source;
    this.named = named;
  }

  /** The rows, which other readers may share and nobody changes. */
  async read(query: Batched, values: unknown[]): Promise<Row[]> {
    const batch = this.batchOf(query);
    const key = values.map(distinct).join(' ');
    let number = batch.numbers.get(key);
    if (number === undefined) {
      number = batch.sets.push(values) - 1;
      batch.numbers.set(key, number);
      if (batch.sets.length === most) this.waiting.delete(query.name);
    }
    return (await batch.rows)[number] as Row[];
  }

  private batchOf(query: Batched): Batch {
    const waiting = this.waiting.get(query.name);
    if (waiting) return waiting;
    const sets: unknown[][] = [];
    const batch = { numbers: new Map<string, number>(), sets, rows: this.send(query, sets) };
    this.waiting.set(query.name, batch);
    return batch;
  }

  private async send(query: Batched, sets: unknown[][]): Promise<Row[][]> {
    let client: pg.PoolClient;
    try {
      // Requests that arrive together are read within one turn of the event loop.
      await new Promise(setImmediate);
      client = await this.source.connect();
    } finally {
      if (this.waiting.get(query.name)?.sets === sets) this.waiting.delete(query.name);
    }
    let broken: Error | undefined;
    try {
      return await this.sendOn(client, query, sets);
    } catch (error) {
      if (lossOf(error)) broken = error as Error;
      throw error;
    } finally {
      client.release(broken);
    }
  }

  private async sendOn(client: pg.PoolClient, query: Batched, sets: unknown[][]): Promise<Row[][]> {
    const [first = []] = sets;
    if (sets.length === 1) return [(await client.query<Row>(this.config(query, first))).rows];
    const lists = first.map((_, column) => sets.map((values) => values[column]));
    const rows: Row[][] = sets.map(() => []);
    const answered = await client.query<Row>(this.config(query.batch, lists));
    for (const row of answered.rows) rows[(row[batchNumber] as number) - 1]?.push(row);
    return rows;
  }

  private config({ name, text }: Pick<Batched, 'name' | 'text'>, values: unknown[]): pg.QueryConfig {
    return { ...(this.named && { name }), text, values };
  }
}

/** A value with its length, so that no two sets of values read the same. */
function distinct(value: unknown): string {
  const text = Buffer.isBuffer(value) ? value.toString('latin1') : JSON.stringify(value);
  return `${text?.length ?? '-'}:${text}`;
}
