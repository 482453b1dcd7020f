import { afterWave, type FindingState, type Observation, statusAfter } from '../../evaluation/index.ts';
import { byColumn } from '../../platform/database/columns.ts';
import type { Db } from '../../platform/database/database.ts';
import type { FindingRow } from '../../platform/database/queries/findings.ts';
import { newId } from '../../platform/ids.ts';
import { emit, type ProjectEvent } from '../webhooks/emit.ts';
import { type FindingOwner, findingQueries } from './findings.ts';

export interface Wave {
  waveId: string;
  /** Start of the wave. */
  at: number;
}

/** Maximum number of observations kept per wave, firing ones first: servers have any number of tools. */
const maxSubjects = 500;

/** Replaces the observations of a wave and updates its findings. The caller holds the owner's lock. */
export async function foldWave(
  db: Db,
  projectId: string,
  owner: FindingOwner,
  wave: Wave,
  all: readonly Observation[],
): Promise<void> {
  const findings = findingQueries(owner);
  const ownerId = owner.id;
  const { waveId, at } = wave;
  const observations = all.toSorted((a, b) => Number(b.fires) - Number(a.fires)).slice(0, maxSubjects);
  const fingerprints = observations.map(({ fingerprint }) => fingerprint);
  await forgetOthers(db, owner, waveId, fingerprints);
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
    const kept = await keep(db, owner, observation, row, state);
    if (kept) news.push(...newsOf(owner, observation, row, kept));
  }
  await emit(db, projectId, news);
}

/** The webhook event of a finding that is new or recurs; empty for any other. */
function newsOf(
  { kind, id: ownerId }: FindingOwner,
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

/** Subjects that the wave no longer covers get the status that the other waves give them. */
async function forgetOthers(
  db: Db,
  owner: FindingOwner,
  waveId: string,
  fingerprints: string[],
): Promise<void> {
  const findings = findingQueries(owner);
  const ownerId = owner.id;
  const gone = await db.rows(findings.forget, { ownerId, waveId, fingerprints });
  if (gone.length === 0) return;
  const rows = await db.rows(findings.withFingerprints, {
    ownerId,
    fingerprints: gone.map(({ fingerprint }) => fingerprint),
  });
  for (const row of rows) {
    const { fingerprint } = row;
    const state = statusAfter(await db.rows(findings.history, { ownerId, fingerprint }));
    await keep(db, owner, row, row, state);
  }
}

async function keep(
  db: Db,
  owner: FindingOwner,
  { fingerprint, dimension, subject }: Pick<FindingRow, 'fingerprint' | 'dimension' | 'subject'>,
  row: FindingRow | undefined,
  state: FindingState | undefined,
): Promise<(FindingState & { id: string }) | undefined> {
  const findings = findingQueries(owner);
  const ownerId = owner.id;
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
  const id = row?.id ?? newId(owner.kind === 'journey' ? 'jfnd' : 'sfnd');
  await db.run(findings.put, { id, ownerId, fingerprint, dimension, subject, ...after });
  return { id, ...after };
}

/** A finding without occurrences is removed, unless it is dismissed: then it stays, resolved, in case it comes back. */
function neverSeen(row: FindingRow): FindingState | undefined {
  if (row.dismissedAt === null) return undefined;
  return { ...row, status: 'resolved', occurrenceCount: 0, resolvedAt: row.resolvedAt ?? row.lastSeenAt };
}
