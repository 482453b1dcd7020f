import { journeyRunVerdict, observeJourneys, type SessionFacts } from '../../../evaluation/index.ts';
import type { Db } from '../../../platform/database/database.ts';
import { journeyFindings } from '../../../platform/database/queries/findings.ts';
import * as runs from '../../../platform/database/queries/journey-runs.ts';
import * as sessions from '../../../platform/database/queries/journey-sessions.ts';
import type { JobHandler } from '../../../platform/jobs/worker.ts';
import type { Services } from '../../context/context.ts';
import { foldWave } from '../../insights/fold-findings.ts';
import { emit } from '../../webhooks/emit.ts';
import { factsOfRun } from './session-facts.ts';
import { tallyOf } from './tally.ts';

interface Payload {
  runId: string;
  projectId: string;
  waveId: string;
}

/** Decides a run whose sessions are graded, then updates the findings with its wave. */
export function observeWaveHandler({ clock }: Services): JobHandler {
  return {
    handle: async (payload) => {
      const { runId, projectId, waveId } = payload as Payload;
      return async (db) => {
        // The lock prevents two concurrent jobs, each missing runs the other has read, from overwriting each other.
        await db.row(journeyFindings.lockForUpdate, { ownerId: projectId });
        const run = await db.row(runs.get, { id: runId });
        if (!run) return;
        const rows = await db.rows(sessions.listOfRun, { runId });
        const verdict = journeyRunVerdict(factsOfRun(run, rows), clock());
        await db.run(runs.setVerdict, { id: runId, verdict, tally: tallyOf(run, rows, verdict) });
        await enqueueJourneyRunEvent(db, run, verdict);
        const wave = await factsOfWave(db, projectId, waveId);
        const owner = { kind: 'journey', id: projectId } as const;
        await foldWave(db, projectId, owner, { waveId, at: wave.at }, observeJourneys(wave.sessions));
        await db.run(runs.announce, { id: runId });
      };
    },
  };
}

/** The sessions of all runs of the wave that are over and graded. */
async function factsOfWave(
  db: Db,
  projectId: string,
  waveId: string,
): Promise<{ at: number; sessions: SessionFacts[] }> {
  const launched = await db.rows(runs.ofWave, { projectId, waveId });
  const over = launched.filter(({ status, toGrade, graded }) => status !== 'running' && graded >= toGrade);
  const all: SessionFacts[] = [];
  for (const run of over)
    all.push(...factsOfRun(run, await db.rows(sessions.listOfRun, { runId: run.id })).sessions);
  const at = Math.min(...launched.map(({ createdAt }) => createdAt));
  return { at, sessions: all };
}

/** Emits the webhook event of the first verdict only, since later grading may change the verdict. */
async function enqueueJourneyRunEvent(db: Db, run: runs.JourneyRunRow, verdict: unknown): Promise<void> {
  if (run.verdict !== null) return;
  const {
    id: runId,
    projectId,
    journeyId,
    waveId,
    status,
    error,
    total,
    succeeded,
    failed,
    rateLimited,
  } = run;
  const data = { runId, journeyId, waveId, status, error, total, succeeded, failed, rateLimited, verdict };
  await emit(db, projectId, [{ type: 'journey_run.decided', subject: runId, data }]);
}
