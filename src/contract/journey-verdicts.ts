import { z } from 'zod';
import { count } from './fields.ts';
import { Time } from './paging.ts';

const verdicts = ['passed', 'failed', 'inconclusive', 'notEstablished'] as const;
const Verdict = z.enum(verdicts);

export const verdictReasons = [
  'attemptPending',
  'attemptRunning',
  'withdrawn',
  'spendCapReached',
  'notRun',
  'executionFailed',
  'ungraded',
  'gradingNotClaimed',
  'criteriaPending',
  'judgePending',
  'gatingCriterionFailed',
  'judgeFailed',
  'criteriaGradingErrored',
  'gatingCriterionUnmeasured',
  'judgeErrored',
  'gradingUnavailable',
  'allGatingCriteriaPassed',
  'judgePassed',
  'allGradersPassed',
] as const;

/** Grading result of a session. The execution status is `outcome`. */
export const SessionVerdict = z
  .object({
    contractVersion: z.literal(1),
    lifecycle: z.enum(['pending', 'running', 'ran', 'broke', 'limited', 'withdrawn']),
    verdict: Verdict,
    reason: z.enum(verdictReasons),
    verdictSource: z.enum(['goalJudge', 'requiredAssertions', 'combined', 'none']),
    grading: z.object({
      state: z.enum(['notRequested', 'queued', 'running', 'settled', 'unavailable']),
      reasonCode: z.string().optional(),
    }),
    graders: z.object({
      criteria: z.enum(['notConfigured', 'notClaimed', 'pending', 'scored', 'errored']),
      judge: z.enum(['notConfigured', 'silent', 'pending', 'scored', 'errored']),
    }),
    counts: z.object({
      gating: count,
      gatingPassed: count,
      gatingFailed: count,
      gatingUnmeasured: count,
      advisoryFailed: count,
    }),
    trial: z
      .object({
        status: z.enum(['pending', 'running', 'completed', 'failed', 'setup_failed', 'cancelled']),
        taskVerdict: z.enum(['passed', 'failed']).optional(),
        evaluatorError: z.literal(true).optional(),
      })
      .nullable(),
  })
  .meta({ id: 'SwarmSessionVerdict' });

/** Verdict summary in the form of an eval run under policy 2: targets are cases, sessions are trials. */
const Decision = z.looseObject({
  verdictPolicyVersion: z.literal(2),
  verdict: z.enum(['passed', 'failed', 'inconclusive']),
  reasons: z.array(z.string()),
});

export const RunVerdictSummary = z
  .discriminatedUnion('status', [
    z.object({ status: z.literal('pending'), pendingSessions: count, updatedAt: Time }),
    z.object({ status: z.literal('decided'), decision: Decision, updatedAt: Time }),
    z.object({
      status: z.literal('notEstablished'),
      reason: z.literal('gradingNotConfigured'),
      updatedAt: Time,
    }),
    z.object({ status: z.literal('integrityFailed'), reason: z.string(), updatedAt: Time }),
  ])
  .meta({ id: 'JourneyRunVerdictSummary' });

const unit = z.literal('sessions');
export const SwarmReport = z
  .object({
    contractVersion: z.literal(1),
    runId: z.string(),
    verdict: Verdict,
    verdictSource: z.enum(['policyV2', 'none']),
    execution: z.object({
      unit,
      configured: count,
      reported: count,
      started: count,
      notStarted: count,
      unknown: count,
      completed: count,
      interrupted: count,
      neverLaunched: z.boolean(),
    }),
    goalGrading: z.object({
      unit,
      reported: count,
      passed: count,
      failed: count,
      pending: count,
      unavailable: count,
      notRequested: count,
      waitingForDecisiveGrading: count,
    }),
    observations: z.array(
      z.object({
        evaluatorId: z.string(),
        predicateType: z.string(),
        role: z.enum(['advisory', 'required']),
        stage: z.string(),
        unit,
        total: count,
        passed: count,
        failed: count,
        pending: count,
        unavailable: count,
      }),
    ),
    decision: Decision.optional(),
    undecidedReason: z
      .enum([
        'executionPending',
        'gradingPending',
        'gradingNotConfigured',
        'verdictSummaryUnavailable',
        'integrityFailed',
      ])
      .optional(),
  })
  .meta({ id: 'SwarmReport' });
