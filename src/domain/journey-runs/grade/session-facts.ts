import type { SessionRubric } from '../../../contract/rubrics.ts';
import {
  type Criterion,
  isGating,
  type JourneyRunFacts,
  type SessionFacts,
} from '../../../evaluation/index.ts';
import type { JourneyRunRow } from '../../../platform/database/queries/journey-runs.ts';
import type { SessionRow } from '../../../platform/database/queries/journey-sessions.ts';
import { labelOf, type ShownTarget } from '../snapshot.ts';
import type { StoredCriteria, StoredFacts, StoredJudge } from './stored.ts';

/** The rubric of a run as countable criteria. */
export function criteriaOf({ rubric }: Pick<JourneyRunRow, 'rubric'>): Criterion[] {
  return ((rubric as SessionRubric | null)?.criteria ?? []).map(({ id, label, predicate }) => ({
    criterionId: id,
    label: label ?? null,
    kind: predicate.type,
    role: isGating(predicate) ? 'required' : 'advisory',
  }));
}

/** A run with its sessions, in the form the verdict is computed from. */
export function factsOfRun(run: JourneyRunRow, rows: readonly SessionRow[]): JourneyRunFacts {
  const rubric = criteriaOf(run);
  return {
    runId: run.id,
    rubric,
    passThreshold: run.passThreshold,
    sessions: rows.map((row) => factsOfSession(run, rubric, row)),
  };
}

export function factsOfSession(
  run: JourneyRunRow,
  rubric: readonly Criterion[],
  row: SessionRow,
): SessionFacts {
  const target = (run.targets as ShownTarget[])[row.target] as ShownTarget;
  const persona = run.persona as { personaId: string; name: string };
  const facts = (row.facts ?? nothing) as StoredFacts;
  return {
    sessionId: row.id,
    runId: run.id,
    journeyId: run.journeyId,
    journeyName: run.journeyName,
    waveId: run.waveId,
    persona: { id: persona.personaId, name: persona.name },
    target: { kind: target.kind, id: target.targetId, label: labelOf(target), modelId: target.modelId },
    sessionIndex: row.sessionIndex,
    status: row.status,
    errorCode: row.errorCode,
    turns: row.turns,
    turnCapReached: row.turnCap,
    criteria: criteriaFacts(rubric, row),
    judge: judgeFacts(run, row),
    ...facts,
  };
}

const nothing: StoredFacts = { tools: [], unknownTools: [], outputTruncated: false };

/** The runner died, so the session was never enqueued for grading. */
function neverGraded({ status, errorCode }: SessionRow): boolean {
  return status === 'failed' && errorCode === 'stale_runner';
}

/** Criteria not graded yet are pending, or failed if the session will never be graded. */
function criteriaFacts(rubric: readonly Criterion[], row: SessionRow): SessionFacts['criteria'] {
  if (rubric.length === 0) return null;
  const stored = row.criteria as StoredCriteria | null;
  const results = new Map((stored?.results ?? []).map((result) => [result.criterionId, result]));
  return {
    status: stored?.status ?? (neverGraded(row) ? 'failed' : 'pending'),
    results: rubric.flatMap((criterion) => {
      const result = results.get(criterion.criterionId);
      return result ? [{ ...criterion, status: result.status, passed: result.passed }] : [];
    }),
  };
}

function judgeFacts({ judged }: JourneyRunRow, row: SessionRow): SessionFacts['judge'] {
  if (!judged) return null;
  const unheard = { status: neverGraded(row) ? 'error' : 'pending' };
  const { status, score, passed } = (row.judge ?? unheard) as StoredJudge;
  return { status: status === 'error' ? 'errored' : status, score, passed };
}
