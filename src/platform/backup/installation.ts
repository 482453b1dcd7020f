import type pg from 'pg';
import type { BlobStore } from '../blobs/store.ts';
import type { Config } from '../config/settings.ts';
import { connectDatabase } from '../database/connect.ts';
import type { Log } from '../log.ts';
import { OperatorProblem } from '../problem.ts';
import { useFixedSettings } from './catalog.ts';

/** The installation that is backed up or restored into. */
export interface Installation {
  config: Config;
  blobs: BlobStore;
  log: Log;
}

export interface ProgressOptions {
  /** Called often, with the current step and the bytes processed so far. */
  progress?: ((what: string, bytes: number) => void) | undefined;
  /** Cancels the work. The reason is thrown after cleanup. */
  signal?: AbortSignal | undefined;
}

export interface Counts {
  tables: number;
  rows: number;
  blobs: number;
  bytes: number;
}

/** Counts the bytes of each step. */
export type Meter = (what: string, bytes: number) => void;

export function meterFor({ progress }: ProgressOptions): Meter {
  let total = 0;
  return (what, bytes) => progress?.(what, (total += bytes));
}

/** Opens a connection for one task. An abort closes it, which cancels the running query. */
export async function withConnection<T>(
  { config, log }: Installation,
  { exclusive, signal }: { exclusive: boolean; signal: AbortSignal | undefined },
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const connected = await connectDatabase(config, { exclusive, migrate: false }, log);
  try {
    const result = await connectedWork(await connected.dial(), signal, work);
    await connected.close();
    return result;
  } catch (error) {
    // The first error is the one to report.
    await connected.close().catch(() => {});
    throw error;
  }
}

async function connectedWork<T>(
  client: pg.Client,
  signal: AbortSignal | undefined,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  let lost = false;
  client.once('error', () => (lost = true));
  const cut = (): void => void client.end();
  signal?.addEventListener('abort', cut);
  try {
    signal?.throwIfAborted();
    await useFixedSettings(client);
    return await work(client);
  } catch (error) {
    if (!lost || error instanceof OperatorProblem) throw error;
    throw new OperatorProblem('The connection to the database was lost. Run this again');
  } finally {
    signal?.removeEventListener('abort', cut);
    await client.end();
  }
}
