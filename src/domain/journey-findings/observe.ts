import {
  afterWave,
  type FindingState,
  journeyRunVerdict,
  type Observation,
  observe,
  type SessionFacts,
  statusAfter,
} from '../../evaluation/index.ts';
import { byColumn } from '../../platform/database/columns.ts';
import type { Db } from '../../platform/database/database.ts';
import * as findings from '../../platform/database/queries/journey-findings.ts';
import * as runs from '../../platform/database/queries/journey-runs.ts';
import * as sessions from '../../platform/database/queries/journey-sessions.ts';
import { newId } from '../../platform/ids.ts';
import type { JobKind } from '../../platform/jobs/worker.ts';
import type { Services } from '../context.ts';
import { observeWave } from '../journey-runs/grade/jobs.ts';
import { factsOfRun } from '../journey-runs/grade/session-facts.ts';
import { tallyOf } from '../journey-runs/grade/tally.ts';

interface Payload {
  runId: string;
  projectId: string;
  waveId: string;
}

interface Wave {
  projectId: string;
  waveId: string;
  /** When its first run was launched. */
  at: number;
}

/** A server may have any number of tools; what goes wrong is kept first. */
const mostSubjects = 500;

/** Decides a run whose sessions are graded, and looks at what its wave shows by now. */
export function observeWaveJob({ clock }: Services): JobKind {
  return {
    kind: observeWave,
    concurrency: 2,
    handle: async (payload) => {
      const { runId, projectId, waveId } = payload as Payload;
      return async (db) => {
        // Two at once, each with runs that the other has not seen, would overwrite each other.
        await db.row(findings.lineUp, { projectId });
        const run = await db.row(runs.get, { id: runId });
        if (!run) return;
        const rows = await db.rows(sessions.listOfRun, { runId });
        const verdict = journeyRunVerdict(factsOfRun(run, rows), clock());
        await db.run(runs.setVerdict, { id: runId, verdict, tally: tallyOf(run, rows) });
        const wave = await factsOfWave(db, projectId, waveId);
        const shown = observe(wave.sessions).sort((a, b) => Number(b.fires) - Number(a.fires));
        await note(db, { projectId, waveId, at: wave.at }, shown.slice(0, mostSubjects));
        await db.run(runs.announce, { id: runId });
      };
    },
  };
}

/** Of all runs of a wave that are over and graded. */
async function factsOfWave(
  db: Db,
  projectId: string,
  waveId: string,
): Promise<{ at: number; sessions: SessionFacts[]; runs: runs.JourneyRunRow[] }> {
  const launched = await db.rows(runs.ofWave, { projectId, waveId });
  const over = launched.filter(({ status, toGrade, graded }) => status !== 'running' && graded >= toGrade);
  const all: SessionFacts[] = [];
  for (const run of over)
    all.push(...factsOfRun(run, await db.rows(sessions.listOfRun, { runId: run.id })).sessions);
  const at = Math.min(...launched.map(({ createdAt }) => createdAt));
  return { at, sessions: all, runs: over };
}

/** Writes down what the wave shows, and what becomes of each finding with it. */
async function note(db: Db, wave: Wave, observations: readonly Observation[]): Promise<void> {
  if (observations.length === 0) return;
  const { projectId, waveId, at } = wave;
  const fingerprints = observations.map(({ fingerprint }) => fingerprint);
  const before = await db.rows(findings.before, { projectId, waveId, fingerprints });
  const known = await db.rows(findings.withFingerprints, { projectId, fingerprints });
  await db.run(findings.observe, {
    projectId,
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
  for (const observation of observations) {
    const { seen, latest } = earlier.get(observation.fingerprint) ?? { seen: false, latest: null };
    const isLast = !seen && (latest === null || latest < at);
    const row = rows.get(observation.fingerprint);
    const state = isLast
      ? afterWave(row, { waveId, at, fires: observation.fires })
      : statusAfter(await db.rows(findings.history, { projectId, fingerprint: observation.fingerprint }));
    await keep(db, projectId, observation, row, state);
  }
}

async function keep(
  db: Db,
  projectId: string,
  { fingerprint, dimension, subject }: Observation,
  row: findings.FindingRow | undefined,
  state: FindingState | undefined,
): Promise<void> {
  if (!state) {
    if (row) await db.run(findings.remove, { projectId, fingerprint });
    return;
  }
  const { status, occurrenceCount, firstSeenAt, lastSeenAt, lastSeenWaveId, resolvedAt } = state;
  const after = { status, occurrenceCount, firstSeenAt, lastSeenAt, lastSeenWaveId, resolvedAt };
  const unchanged =
    row && Object.entries(after).every(([name, value]) => row[name as keyof typeof after] === value);
  if (unchanged) return;
  const id = row?.id ?? newId('jfnd');
  await db.run(findings.put, { id, projectId, fingerprint, dimension, subject, ...after });
}
