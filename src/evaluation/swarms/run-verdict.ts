import { groupBy } from '../group-by.ts';
import type { VerdictDecision } from '../verdict/decision.ts';
import { decide, resolvePolicy } from '../verdict/policy.ts';
import { type ConfiguredVariant, policyProblem, type TrialRecord } from '../verdict/trials.ts';
import { type Criterion, isUnderWay, type SessionFacts, type SessionTarget } from './facts.ts';
import { sessionVerdict, waitsForGrading } from './session-verdict.ts';

/** A run of a journey with all configured sessions, including those that have not started. */
export interface JourneyRunFacts {
  runId: string;
  /** Empty if the run has no rubric. */
  rubric: readonly Criterion[];
  sessions: readonly SessionFacts[];
  /** The required pass rate of each target. Default: 1. */
  passThreshold?: number | undefined;
}

export type JourneyRunVerdictSummary =
  | { status: 'pending'; pendingSessions: number; updatedAt: number }
  | { status: 'decided'; decision: VerdictDecision; updatedAt: number }
  | { status: 'notEstablished'; reason: 'gradingNotConfigured'; updatedAt: number }
  | { status: 'integrityFailed'; reason: string; updatedAt: number };

/**
 * The verdict of a run: its targets are the cases and their sessions the trials. Without a gating grader the run has no
 * verdict, so it is not pending.
 */
export function journeyRunVerdict(run: JourneyRunFacts, updatedAt: number): JourneyRunVerdictSummary {
  const { rubric, sessions } = run;
  const broken = mixedUp(run);
  if (broken !== undefined) return { status: 'integrityFailed', reason: broken, updatedAt };
  if (!isGradingConfigured(rubric, sessions))
    return { status: 'notEstablished', reason: 'gradingNotConfigured', updatedAt };
  const pendingSessions = sessions.filter(isPending).length;
  if (pendingSessions > 0) return { status: 'pending', pendingSessions, updatedAt };
  const variants = variantsOf(run);
  const trials = sessions.flatMap(trialsOf);
  const problem = policyProblem(variants, trials);
  if (problem !== undefined) return { status: 'integrityFailed', reason: problem, updatedAt };
  return { status: 'decided', decision: decide(resolvePolicy(), variants, trials), updatedAt };
}

function isGradingConfigured(rubric: readonly Criterion[], sessions: readonly SessionFacts[]): boolean {
  return rubric.some(({ role }) => role === 'required') || sessions.some(({ judge }) => judge !== null);
}

function isPending(session: SessionFacts): boolean {
  return isUnderWay(session) || waitsForGrading(sessionVerdict(session));
}

/** Why the sessions are inconsistent with the run. */
function mixedUp({ runId, sessions }: JourneyRunFacts): string | undefined {
  if (sessions.length === 0) return 'The run has no sessions';
  if (sessions.some((session) => session.runId !== runId)) return 'A session belongs to another run';
  const ids = new Set(sessions.map(({ sessionId }) => sessionId));
  return ids.size < sessions.length ? 'A session is there twice' : undefined;
}

function variantsOf({ sessions, passThreshold = 1 }: JourneyRunFacts): ConfiguredVariant[] {
  const byTarget = groupBy(sessions, ({ target }) => JSON.stringify([target.id, target.modelId]));
  return [...byTarget.values()].map((group) => ({
    ...caseOf(group[0].target),
    configuredTrials: group.length,
    passThreshold,
  }));
}

/** Empty for a session that never became a trial; it counts as configured but missing. */
function trialsOf(session: SessionFacts): TrialRecord[] {
  const { trial } = sessionVerdict(session);
  if (!trial) return [];
  const { status, taskVerdict = null, evaluatorError = false } = trial;
  return [{ ...caseOf(session.target), status, result: taskVerdict, evaluatorError }];
}

function caseOf({ id, modelId }: SessionTarget): Pick<TrialRecord, 'caseId' | 'executionVariant'> {
  return { caseId: id, ...(modelId !== null && { executionVariant: { model: modelId } }) };
}
