import { type DeclaredTool, evaluateCheck, type TrialEvidence } from '../../../evaluation/index.ts';
import * as runs from '../../../platform/database/queries/journey-runs.ts';
import * as sessions from '../../../platform/database/queries/journey-sessions.ts';
import type { JobHandler } from '../../../platform/jobs/worker.ts';
import { storableJson } from '../../../platform/json/storable.ts';
import type { Commit } from '../../../platform/leases/holder.ts';
import type { ModelParts } from '../../model-calls/open-model.ts';
import { joined, type TurnRecording } from '../execute/evidence.ts';
import { gradedIfOver } from '../execute/settle.ts';
import type { JourneySnapshot } from '../snapshot.ts';
import { factsIn } from './facts.ts';
import { judgeGoal } from './judge.ts';
import type { StoredCriteria, StoredFacts, StoredJudge } from './stored.ts';

interface Payload {
  sessionId: string;
  generation: number;
}

interface Graded {
  criteria: StoredCriteria | null;
  judge: StoredJudge | null;
  facts: StoredFacts;
}

/** Grades each session once. An error in grading is recorded as such and does not fail the session. */
export function gradeSessionHandler(parts: ModelParts): JobHandler {
  const { db } = parts.services;
  return {
    handle: async (payload, signal) => {
      const { sessionId, generation } = payload as Payload;
      const row = await db.row(sessions.find, { id: sessionId });
      const run = row && (await db.row(runs.get, { id: row.runId }));
      if (!row || !run || row.facts !== null || row.generation !== generation) return undefined;
      return written(run, row, await grade(parts, run, row, signal));
    },
    givenUp: async (payload) => {
      const row = await db.row(sessions.find, { id: (payload as Payload).sessionId });
      const run = row && (await db.row(runs.get, { id: row.runId }));
      if (!row || !run) return async () => {};
      return written(run, row, {
        criteria: row.criteria === null ? null : { status: 'failed', results: [] },
        judge: row.judge === null ? null : { status: 'error', reason: 'The grading failed' },
        facts: { tools: [], unknownTools: [], outputTruncated: false },
      });
    },
  };
}

async function grade(
  parts: ModelParts,
  run: runs.JourneyRunRow,
  row: sessions.SessionRow,
  signal: AbortSignal,
): Promise<Graded> {
  const { db } = parts.services;
  const { snapshot } = (await db.one(runs.snapshot, { runId: run.id })) as { snapshot: JourneySnapshot };
  const recorded = await db.rows(sessions.evidence, { id: row.id });
  const kept = await db.row(runs.tools, { runId: run.id, target: row.target });
  const declared = kept && { state: 'complete' as const, items: kept.tools as DeclaredTool[] };
  const evidence = joined(
    recorded.map((turn) => turn.evidence as TurnRecording),
    declared,
  );
  const { place } = snapshot.targets[row.target] as JourneySnapshot['targets'][number];
  const judged = row.judge === null ? undefined : await judgeGoal(parts, run, snapshot, row, signal);
  return {
    criteria: row.criteria === null ? null : criteriaOf(snapshot, evidence),
    judge: judged ?? null,
    facts: factsIn(
      recorded.map((turn) => turn.evidence as TurnRecording),
      place,
      declared?.items,
    ),
  };
}

function criteriaOf({ rubric }: JourneySnapshot, evidence: TrialEvidence): StoredCriteria {
  try {
    const results = (rubric?.criteria ?? []).map(({ id, predicate }) => {
      const { passed, status, reason } = evaluateCheck(predicate, evidence);
      const measured = status ?? ('scored' as const);
      return { criterionId: id, passed, status: measured, reason: reason.slice(0, 500) };
    });
    return { status: 'completed', results };
  } catch {
    return { status: 'failed', results: [] };
  }
}

function written(run: runs.JourneyRunRow, { id, generation }: sessions.SessionRow, graded: Graded): Commit {
  return async (db) => {
    const storable = JSON.parse(storableJson(graded)) as typeof graded;
    // Locks the run before the session, the lock order everywhere.
    await db.row(runs.lock, { id: run.id });
    if ((await db.run(sessions.grade, { id, generation, ...storable })) > 0) {
      await gradedIfOver(db, await db.one(runs.addGraded, { id: run.id }));
      await db.run(runs.announce, { id: run.id });
    }
  };
}
