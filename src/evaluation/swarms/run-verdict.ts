import { groupBy } from '../group-by.ts';
import type { VerdictDecision } from '../verdict/decision.ts';
import { decide, resolvePolicy } from '../verdict/policy.ts';
import { type ConfiguredVariant, policyProblem, type TrialRecord } from '../verdict/trials.ts';
import { type Criterion, isUnderWay, type SessionFacts, type SessionTarget } from './facts.ts';
import { sessionVerdict, waitsForGrading } from './session-verdict.ts';

/** A run of a journey with all of its sessions, also those that have not begun. */
export interface JourneyRunFacts {
  runId: string;
  /** Empty: the run has none. */
  rubric: readonly Criterion[];
  sessions: readonly SessionFacts[];
  /** The share of the sessions of each target that has to pass; all of them when left out. */
  passThreshold?: number | undefined;
}

export type JourneyRunVerdictSummary =
  | { status: 'pending'; pendingSessions: number; updatedAt: number }
  | { status: 'decided'; decision: VerdictDecision; updatedAt: number }
  | { status: 'notEstablished'; reason: 'gradingNotConfigured'; updatedAt: number }
  | { status: 'integrityFailed'; reason: string; updatedAt: number };

/**
 * The verdict of a run, with its targets as cases and their sessions as trials. Without a gating grader there is never a
 * verdict, so none is awaited.
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

/** Why these cannot be the sessions of one run. */
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
