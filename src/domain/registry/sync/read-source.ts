import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import type { RegistrySource } from '../../../platform/config/values.ts';
import * as entries from '../../../platform/database/queries/registry-entries.ts';
import * as sources from '../../../platform/database/queries/registry-sources.ts';
import type { JobHandler } from '../../../platform/jobs/worker.ts';
import { redact } from '../../../platform/log.ts';
import type { Services } from '../../context/context.ts';
import { failureOf, SourceFailure } from './failure.ts';
import { defaultLimits, listIn, type ReadingLimits, readRegistry } from './read-registry.ts';
import { storeListed } from './store.ts';

type Parts = Pick<Services, 'db' | 'mcp' | 'clock' | 'log'>;

/** Maximum number of bytes of a source that is a file. */
const maxFileBytes = 16 * 1024 * 1024;
/** Entries per statement. */
const batchSize = 500;

export function readSourceHandler(services: Pick<Services, keyof Parts | 'config'>): JobHandler {
  return {
    handle: async (payload, signal) => {
      const { source } = payload as { source: string };
      const named = services.config.registrySources.find(({ name }) => name === source);
      if (named) await readSource(services, named, signal);
    },
  };
}

/** Reads one source. On failure, the previous entries stay and the reason is recorded. */
export async function readSource(
  services: Parts,
  named: RegistrySource,
  signal: AbortSignal,
  limits: ReadingLimits = defaultLimits,
): Promise<void> {
  const { db, clock, log } = services;
  const source = named.name;
  const row = await db.row(sources.find, { source });
  // The source was removed from the settings meanwhile.
  if (!row) return;
  await db.run(sources.attempt, { source, at: clock() });
  try {
    if (named.kind === 'url') await readRegistry({ services, row, signal, limits });
    else await readWhole(services, row, await textOf(named), limits);
  } catch (error) {
    signal.throwIfAborted();
    const failure = failureOf(error, false);
    log.warn('Registry source could not be read', {
      source,
      error: redact(failure.message),
      cause: failure.cause instanceof Error ? redact(failure.cause.message) : undefined,
    });
    await db.run(sources.fail, { source, error: failure.message });
    if (!failure.mayGoOn) await db.run(sources.clearCursor, { source });
  }
}

async function textOf({ kind, location }: RegistrySource): Promise<string> {
  if (kind === 'bundled') return (await import('../../../registry/bundled.ts')).bundledText();
  try {
    const { size } = await stat(location);
    if (size > maxFileBytes) throw new SourceFailure('The file is larger than 16 MiB');
    return await readFile(location, 'utf8');
  } catch (error) {
    if (error instanceof SourceFailure) throw error;
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new SourceFailure(`The file cannot be read (${code})`, { cause: error });
  }
}

/** Replaces all entries of a source that is a single document, in one transaction. */
async function readWhole(
  { db, clock }: Parts,
  { source, etag }: sources.SourceRow,
  text: string,
  limits: ReadingLimits,
): Promise<void> {
  const hash = createHash('sha256').update(text).digest('hex');
  if (hash === etag) return void (await db.run(sources.unchanged, { source, at: clock() }));
  const { listed, skipped } = listIn(text, limits.entries);
  await db.transaction(async (trx) => {
    const row = await trx.one(sources.begin, { source, beganAt: clock(), full: true });
    for (let at = 0; at < listed.length; at += batchSize)
      await storeListed(trx, row, listed.slice(at, at + batchSize));
    await trx.run(entries.removeUnmet, { source, pass: row.pass });
    await trx.run(sources.saveCursor, { source, cursor: null, skipped, at: clock() });
    await trx.run(sources.finish, { source, etag: hash, moves: true, at: clock() });
  });
}
