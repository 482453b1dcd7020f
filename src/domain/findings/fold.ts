import { afterWave, type FindingState, type Observation, statusAfter } from '../../evaluation/index.ts';
import { byColumn } from '../../platform/database/columns.ts';
import type { Db } from '../../platform/database/database.ts';
import type { FindingQueries, FindingRow } from '../../platform/database/queries/findings.ts';
import { newId } from '../../platform/ids.ts';
import { emit, type ProjectEvent } from '../webhooks/emit.ts';

/** Where findings are kept. */
export interface FindingBook {
  findings: FindingQueries;
  /** What their ids begin with. */
  prefix: string;
  ownerId: string;
  /** Whose webhooks are told of what is new or back. */
  projectId: string;
  kind: 'journey' | 'study';
}

export interface Wave {
  waveId: string;
  /** When it began. */
  at: number;
}

/** There may be any number of subjects, since servers have any number of tools; what goes wrong is kept first. */
const mostSubjects = 500;

/**
 * Writes down what a wave shows, instead of what it showed before, and what becomes of each finding with it. Whoever
 * calls this has lined up.
 */
export async function foldWave(
  db: Db,
  book: FindingBook,
  wave: Wave,
  all: readonly Observation[],
): Promise<void> {
  const { findings, ownerId } = book;
  const { waveId, at } = wave;
  const observations = all.toSorted((a, b) => Number(b.fires) - Number(a.fires)).slice(0, mostSubjects);
  const fingerprints = observations.map(({ fingerprint }) => fingerprint);
  await forgetOthers(db, book, waveId, fingerprints);
  if (observations.length === 0) return;
  const before = await db.rows(findings.before, { ownerId, waveId, fingerprints });
  const known = await db.rows(findings.withFingerprints, { ownerId, fingerprints });
  await db.run(findings.observe, {
    ownerId,
    waveId,
    waveAt: at,
    ...byColumn(
      observations.map(({ fingerprint, fires, affected, total }) => ({
        fingerprint,
        fired: fires,
        affected,
        total,
      })),
    ),
  });
  const earlier = new Map(before.map((row) => [row.fingerprint, row]));
  const rows = new Map(known.map((row) => [row.fingerprint, row]));
  const news: ProjectEvent[] = [];
  for (const observation of observations) {
    const { seen, latest } = earlier.get(observation.fingerprint) ?? { seen: false, latest: null };
    const isLast = !seen && (latest === null || latest < at);
    const row = rows.get(observation.fingerprint);
    const state = isLast
      ? afterWave(row && row.occurrenceCount > 0 ? row : undefined, { waveId, at, fires: observation.fires })
      : statusAfter(await db.rows(findings.history, { ownerId, fingerprint: observation.fingerprint }));
    const kept = await keep(db, book, observation, row, state);
    if (kept) news.push(...newsOf(book, observation, row, kept));
  }
  await emit(db, book.projectId, news);
}

/** One that is there for the first time, or again. */
function newsOf(
  { kind, ownerId }: FindingBook,
  { dimension, subject, affected, total }: Observation,
  before: FindingRow | undefined,
  { id, status, occurrenceCount, lastSeenWaveId }: FindingState & { id: string },
): ProjectEvent[] {
  if (before?.status === status || before?.dismissedAt != null) return [];
  if (status !== 'regressed' && (status !== 'new' || (before && before.occurrenceCount > 0))) return [];
  const of = kind === 'study' ? { studyId: ownerId } : {};
  const data = { findingId: id, kind, ...of, status, dimension, subject, affected, total, occurrenceCount };
  return [{ type: `finding.${status}`, subject: id, data: { ...data, lastSeenWaveId } }];
}

/** Something that may yet happen, or was taken back, is no longer covered: its finding is what other waves say. */
async function forgetOthers(
  db: Db,
  book: FindingBook,
  waveId: string,
  fingerprints: string[],
): Promise<void> {
  const { findings, ownerId } = book;
  const gone = await db.rows(findings.forget, { ownerId, waveId, fingerprints });
  if (gone.length === 0) return;
  const rows = await db.rows(findings.withFingerprints, {
    ownerId,
    fingerprints: gone.map(({ fingerprint }) => fingerprint),
  });
  for (const row of rows) {
    const { fingerprint } = row;
    const state = statusAfter(await db.rows(findings.history, { ownerId, fingerprint }));
    await keep(db, book, row, row, state);
  }
}

async function keep(
  db: Db,
  { findings, prefix, ownerId }: FindingBook,
  { fingerprint, dimension, subject }: Pick<FindingRow, 'fingerprint' | 'dimension' | 'subject'>,
  row: FindingRow | undefined,
  state: FindingState | undefined,
): Promise<(FindingState & { id: string }) | undefined> {
  const kept = state ?? (row && neverSeen(row));
  if (!kept) {
    if (row) await db.run(findings.remove, { ownerId, fingerprint });
    return undefined;
  }
  const { status, occurrenceCount, firstSeenAt, lastSeenAt, lastSeenWaveId, resolvedAt } = kept;
  const after = { status, occurrenceCount, firstSeenAt, lastSeenAt, lastSeenWaveId, resolvedAt };
  const unchanged =
    row && Object.entries(after).every(([name, value]) => row[name as keyof typeof after] === value);
  if (unchanged) return undefined;
  const id = row?.id ?? newId(prefix);
  await db.run(findings.put, { id, ownerId, fingerprint, dimension, subject, ...after });
  return { id, ...after };
}

/** All of its occurrences turned out to be none. If somebody dismissed it, it stays dismissed in case it comes back. */
function neverSeen(row: FindingRow): FindingState | undefined {
  if (row.dismissedAt === null) return undefined;
  return { ...row, status: 'resolved', occurrenceCount: 0, resolvedAt: row.resolvedAt ?? row.lastSeenAt };
}
