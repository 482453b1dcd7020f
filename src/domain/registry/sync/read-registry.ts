import * as entries from '../../../platform/database/queries/registry-entries.ts';
import * as sources from '../../../platform/database/queries/registry-sources.ts';
import { timeLimit } from '../../../platform/time-limit.ts';
import { readServerList, type ServerList } from '../../../registry/server-json.ts';
import type { Services } from '../../context.ts';
import { failureOf, SourceFailure } from './failure.ts';
import { storeListed } from './store.ts';

const mebibyte = 1024 * 1024;
const minute = 60_000;
/** What changed shortly before the last reading is read again: clocks differ. */
const overlap = 10 * minute;
/** A reading that was begun longer ago than this is not gone on with. */
const freshReading = 120 * minute;
/** Everything is read this often, since what vanishes without a word is noticed only then. */
const fullEvery = 24 * 60 * minute;

export interface ReadingLimits {
  pages: number;
  entries: number;
  /** Of one page, and of all together. */
  pageBytes: number;
  bytes: number;
  /** Milliseconds of one page, and of all together. */
  pageTime: number;
  time: number;
}

export const usualLimits: ReadingLimits = {
  pages: 1000,
  entries: 50_000,
  pageBytes: 8 * mebibyte,
  bytes: 256 * mebibyte,
  pageTime: 30_000,
  time: 15 * minute,
};
const jsonLimits = { elements: 200_000, depth: 64, keys: 5_000, batch: 1_000 };
const onePage = 100;
/** Some give more than they are asked for. */
const mostOnPage = 1_000;

export interface SourceReading {
  services: Pick<Services, 'db' | 'mcp' | 'clock'>;
  row: sources.SourceRow;
  signal: AbortSignal;
  limits: ReadingLimits;
}

interface Page extends ServerList {
  bytes: number;
  etag: string | null;
}

/**
 * Reads a registry page by page: everything once a day, in between what has changed since. Each page is stored with the
 * place to go on at, so that a reading that was cut off goes on there; what was there before stays until everything has
 * been met.
 */
export async function readRegistry(reading: SourceReading): Promise<void> {
  const { services, limits } = reading;
  const { db, clock } = services;
  const { source } = reading.row;
  const row = await beginOrGoOn(reading);
  const first = row.cursor === null ? firstUrl(row) : undefined;
  const ends = performance.now() + limits.time;
  const seen = new Set<string>();
  let [cursor, bytes, met, pages] = [row.cursor, 0, 0, 0];
  let etag: string | null = null;
  do {
    const url = cursor === null ? firstUrl(row) : urlOf(row, cursor);
    const page = await fetchPage(reading, url, cursor === null ? knownEtag(row, url) : undefined);
    if (page === 'unchanged') return void (await db.run(sources.unchanged, { source, at: clock() }));
    pages += 1;
    bytes += page.bytes;
    met += page.listed.length;
    etag = page.etag;
    cursor = page.nextCursor ?? null;
    if (cursor !== null && seen.has(cursor)) throw new SourceFailure('Its pages repeat themselves');
    if (cursor !== null) seen.add(cursor);
    if (met > limits.entries || bytes > limits.bytes || (cursor !== null && pages >= limits.pages)) {
      // Its next reading may meet other names: what the earlier ones left would add up.
      await db.run(entries.removeBeyond, { source, most: limits.entries });
      throw new SourceFailure('It lists more than is read');
    }
    if (cursor !== null && performance.now() > ends)
      throw new SourceFailure('It took too long', { mayGoOn: true });
    const place = { source, cursor, skipped: page.skipped, at: clock() };
    await db.transaction(async (trx) => {
      await storeListed(trx, row, page.listed);
      await trx.run(sources.goOn, place);
    });
  } while (cursor !== null);
  await db.transaction(async (trx) => {
    if (row.readingFull) await trx.run(entries.removeUnmet, { source, pass: row.pass });
    // Asked again in the same words, a registry with nothing new can say so in none.
    const same = first !== undefined && pages === 1 && met === 0 && etag !== null;
    await trx.run(sources.finish, {
      source,
      etag: same ? JSON.stringify([first, etag]) : null,
      moves: !(same && !row.readingFull),
      at: clock(),
    });
  });
}

async function beginOrGoOn({ services, row }: SourceReading): Promise<sources.SourceRow> {
  const now = services.clock();
  const { cursor, beganAt, fullAt, updatedSince, source } = row;
  if (cursor !== null && beganAt !== null && now - beganAt < freshReading) return row;
  const full = fullAt === null || updatedSince === null || now - fullAt >= fullEvery;
  return services.db.one(sources.begin, { source, beganAt: now, full });
}

function firstUrl(row: sources.SourceRow): string {
  return urlOf(row, undefined);
}

function urlOf(
  { location, readingFull, updatedSince }: sources.SourceRow,
  cursor: string | undefined,
): string {
  const url = new URL(`${location}/v0.1/servers`);
  url.searchParams.set('limit', String(onePage));
  url.searchParams.set('version', 'latest');
  if (!readingFull && updatedSince !== null)
    url.searchParams.set('updated_since', new Date(updatedSince - overlap).toISOString());
  if (cursor !== undefined) url.searchParams.set('cursor', cursor);
  return url.href;
}

/** Of an answer to the very same question. */
function knownEtag({ etag }: sources.SourceRow, url: string): string | undefined {
  const [asked, tag] = etag === null ? [] : (JSON.parse(etag) as [string, string]);
  return asked === url ? tag : undefined;
}

async function fetchPage(
  { services, signal, limits }: SourceReading,
  url: string,
  etag: string | undefined,
): Promise<Page | 'unchanged'> {
  const late = timeLimit(limits.pageTime);
  try {
    const response = await services.mcp.outbound.follow(
      url,
      {
        signal: AbortSignal.any([signal, late]),
        headers: { accept: 'application/json', ...(etag !== undefined && { 'if-none-match': etag }) },
      },
      { bytes: limits.pageBytes, limits: jsonLimits },
    );
    if (response.status === 304 && etag !== undefined) return 'unchanged';
    if (response.status !== 200)
      throw new SourceFailure(`It answered with the HTTP status ${response.status}`, {
        mayGoOn: response.status >= 500 || response.status === 429,
      });
    const text = await response.text();
    return { ...listIn(text, mostOnPage), bytes: text.length, etag: tagOf(response) };
  } catch (error) {
    signal.throwIfAborted();
    throw failureOf(error, late.aborted);
  }
}

function tagOf({ headers }: Response): string | null {
  const etag = headers.get('etag');
  return etag !== null && etag.length <= 200 && /^[\x21-\x7e]+$/.test(etag) ? etag : null;
}

/** Longer ones would be kept, and sent, for nothing. */
const longestCursor = 2_000;

/** What a source says, if it is a list of so many servers at most. */
export function listIn(text: string, most: number): ServerList {
  const list = readServerList(parsed(text), most);
  if (!list || (list.nextCursor?.length ?? 0) > longestCursor || list.nextCursor?.includes('\0'))
    throw new SourceFailure(`It gives no list of servers, or one of more than ${most}`);
  return list;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
