import * as entries from '../../../platform/database/queries/registry-entries.ts';
import * as sources from '../../../platform/database/queries/registry-sources.ts';
import { timeoutSignal } from '../../../platform/flow/deadline.ts';
import { maxDepth } from '../../../platform/json/bounds.ts';
import { readServerList, type ServerList } from '../../../registry/server-json.ts';
import type { Services } from '../../context/context.ts';
import { failureOf, SourceFailure } from './failure.ts';
import { storeListed } from './store.ts';

const mebibyte = 1024 * 1024;
const minute = 60_000;
/** Overlap between incremental reads, since clocks differ. */
const overlap = 10 * minute;
/** Age after which an interrupted read is not resumed. */
const freshReading = 120 * minute;
/** Interval of full reads, which detect servers removed without notice. */
const fullEvery = 24 * 60 * minute;

export interface ReadingLimits {
  pages: number;
  entries: number;
  /** Bytes per page, and in total. */
  pageBytes: number;
  bytes: number;
  /** Milliseconds per page, and in total. */
  pageTime: number;
  time: number;
}

export const defaultLimits: ReadingLimits = {
  pages: 1000,
  entries: 50_000,
  pageBytes: 8 * mebibyte,
  bytes: 256 * mebibyte,
  pageTime: 30_000,
  time: 15 * minute,
};
const jsonLimits = { elements: 200_000, depth: maxDepth, keys: 5_000, batch: 1_000 };
const onePage = 100;
/** Some registries return more items than requested. */
const maxOnPage = 1_000;

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
 * Reads a registry page by page: everything once a day, and changes in between. Each page is stored together with the
 * cursor, so that an interrupted read resumes. Old entries stay until a full read is complete.
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
    if (cursor !== null && seen.has(cursor)) throw new SourceFailure('Pagination repeats a cursor');
    if (cursor !== null) seen.add(cursor);
    if (met > limits.entries || bytes > limits.bytes || (cursor !== null && pages >= limits.pages)) {
      // The next read may contain other names, so the excess is removed; otherwise it would accumulate.
      await db.run(entries.removeBeyond, { source, most: limits.entries });
      throw new SourceFailure('The source exceeds the size limit');
    }
    if (cursor !== null && performance.now() > ends) throw new SourceFailure('Timed out', { mayGoOn: true });
    const place = { source, cursor, skipped: page.skipped, at: clock() };
    await db.transaction(async (trx) => {
      await storeListed(trx, row, page.listed);
      await trx.run(sources.saveCursor, place);
    });
  } while (cursor !== null);
  await db.transaction(async (trx) => {
    if (row.readingFull) await trx.run(entries.removeUnmet, { source, pass: row.pass });
    // The registry had no changes, so its ETag is stored: it can answer the same request with 304.
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

/** The ETag, if it belongs to the same URL. */
function knownEtag({ etag }: sources.SourceRow, url: string): string | undefined {
  const [asked, tag] = etag === null ? [] : (JSON.parse(etag) as [string, string]);
  return asked === url ? tag : undefined;
}

async function fetchPage(
  { services, signal, limits }: SourceReading,
  url: string,
  etag: string | undefined,
): Promise<Page | 'unchanged'> {
  const late = timeoutSignal(limits.pageTime);
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
      throw new SourceFailure(`The source returned HTTP status ${response.status}`, {
        mayGoOn: response.status >= 500 || response.status === 429,
      });
    const text = await response.text();
    return { ...listIn(text, maxOnPage), bytes: text.length, etag: tagOf(response) };
  } catch (error) {
    signal.throwIfAborted();
    throw failureOf(error, late.aborted);
  }
}

function tagOf({ headers }: Response): string | null {
  const etag = headers.get('etag');
  return etag !== null && etag.length <= 200 && /^[\x21-\x7e]+$/.test(etag) ? etag : null;
}

/** Maximum number of characters of a cursor, since cursors are stored. */
const maxCursorLength = 2_000;

/** Parses a server list; refuses other content and longer lists. */
export function listIn(text: string, maxServers: number): ServerList {
  const list = readServerList(parsed(text), maxServers);
  if (!list || (list.nextCursor?.length ?? 0) > maxCursorLength || list.nextCursor?.includes('\0'))
    throw new SourceFailure(`No list of servers, or more than ${maxServers} servers`);
  return list;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
