import type { Operations } from '../../contract/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import { candidateTitle, type WaveCandidate } from '../../evaluation/index.ts';
import type { JourneyRunRow } from '../../platform/database/queries/journey-runs.ts';
import type { SessionRow } from '../../platform/database/queries/journey-sessions.ts';
import * as insights from '../../platform/database/queries/wave-insights.ts';
import type { Services } from '../context.ts';
import { labelOf, type ShownTarget } from '../journey-runs/snapshot.ts';
import type { InsightsContent } from './content.ts';

type Envelope = NonNullable<OutputOf<Operations['getJourneyRun']>['insights']>;
type Finding = Envelope['findings'][number];

/** What was found out about the wave of a run, in the form that eval runs have it in. */
export async function insightsOfRun(
  { db }: Pick<Services, 'db'>,
  run: JourneyRunRow,
  rows: readonly SessionRow[],
): Promise<Envelope> {
  const { projectId, waveId } = run;
  const row = await db.row(insights.find, { projectId, waveId });
  const asked = row && row.status !== 'canceled' ? row.status : undefined;
  const status = asked ?? (run.status === 'running' ? 'not_available' : 'not_requested');
  const content = row?.insights as InsightsContent | null | undefined;
  const { errorCode, errorMessage } = row ?? {};
  return {
    schemaVersion: 1,
    scope: { kind: 'swarm_wave', id: waveId, runId: run.id },
    status,
    reasonCode: status === 'not_available' ? 'run_not_over' : (errorCode ?? null),
    retryable: status === 'failed' || status === 'not_available',
    error: errorCode ? { code: errorCode, message: errorMessage ?? '' } : null,
    generatedAt: content?.generatedAt ?? null,
    updatedAt: row?.updatedAt ?? null,
    summary: content?.summary ?? null,
    coverage: {
      unit: 'sessions',
      analyzed: content ? content.sessionCount - content.unanalyzedSessionCount : 0,
      total: content?.sessionCount ?? run.total,
      ...(content && { gradedCount: content.judgeCoverage.graded }),
      truncated: content?.truncated ?? false,
      lowConfidence: content?.lowConfidence ?? true,
    },
    findings: content ? findingsIn(waveId, content) : [],
    runHealth: { targets: healthOf(run.targets as ShownTarget[], rows) },
    truncation: {
      truncated: content?.truncated ?? false,
      omittedFindings: 0,
      omittedEvidence: 0,
      contractTruncated: false,
    },
    ...(content && { journeyFindings: content.journeyFindings as unknown as Record<string, unknown> }),
  };
}

function findingsIn(waveId: string, { candidates, unnarratedCandidates }: InsightsContent): Finding[] {
  return [
    ...candidates.map(({ rootCause, recommendation, confidence, ...candidate }) => ({
      ...findingOf(waveId, candidate),
      rootCause,
      recommendation,
      confidence,
    })),
    ...unnarratedCandidates.map((candidate) => findingOf(waveId, candidate)),
  ];
}

type Filing = Pick<Finding, 'category' | 'attribution' | 'actionTarget' | 'recommendation'>;
const server = {
  category: 'tool_runtime',
  attribution: 'server_runtime',
  actionTarget: 'mcp_server',
} as const;
const agent = {
  category: 'agent_behavior',
  attribution: 'agent_or_prompt',
  actionTarget: 'agent_configuration',
} as const;
const surroundings = {
  category: 'environment',
  attribution: 'environment',
  actionTarget: 'environment',
} as const;
const unclear = { category: 'unknown', attribution: 'unknown', actionTarget: 'investigate' } as const;

/** Where to look first, by what was counted. */
const filings: Readonly<Record<string, Filing>> = {
  criterion_failed: {
    ...unclear,
    recommendation: 'Read the sessions that missed the criterion beside one that met it.',
  },
  goal_missed: {
    ...unclear,
    recommendation: 'Read where the sessions stop short of the goal, and what the judge says.',
  },
  execution_failed: {
    ...surroundings,
    recommendation: 'Look at the errors of the sessions, and at the servers and the model of the target.',
  },
  provider_limited: {
    ...surroundings,
    recommendation: 'Run fewer sessions at once, or raise the limits at the provider.',
  },
  tool_errored: {
    ...server,
    recommendation: 'Call the tool with the arguments of the failed calls, and mend it or its description.',
  },
  unknown_tool_called: {
    ...agent,
    recommendation:
      'Look which tool the model expects: offer it, or say in a description what to use instead.',
  },
  no_tool_called: {
    ...agent,
    recommendation:
      'Say in the descriptions of the tools, or in the system prompt, when they are to be used.',
  },
  turn_cap_reached: {
    category: 'workflow',
    attribution: 'unknown',
    actionTarget: 'investigate',
    recommendation: 'Look what the turns are spent on; fewer steps, or more turns, may be needed.',
  },
};

function findingOf(waveId: string, candidate: WaveCandidate): Finding {
  const { fingerprint, detector, affectedSessions: count, sliceTotal: total, metric } = candidate;
  const title = candidateTitle(candidate);
  return {
    id: `${waveId}:${fingerprint}`,
    signalFingerprint: fingerprint,
    title,
    ...(filings[detector] ?? { ...unclear, recommendation: 'Read the sessions in which it happened.' }),
    actionability: count > 1 ? 'ready' : 'investigate',
    severity: metric >= 0.5 ? 'high' : metric >= 0.2 ? 'medium' : 'low',
    confidence: count >= 3 ? 'high' : count === 2 ? 'medium' : 'low',
    observed: `In ${count} of ${total} sessions: ${title}`,
    acceptanceCriteria: ['It happens in none of the sessions of the next wave'],
    affected: { count, total, unit: 'sessions' },
    patternSlug: detector,
    evidence: candidate.evidenceSessionIds
      .slice(0, 5)
      .map((sessionId) => ({ sessionId, kind: 'transcript', excerpt: '' })),
  };
}

function healthOf(
  targets: readonly ShownTarget[],
  rows: readonly SessionRow[],
): NonNullable<Envelope['runHealth']>['targets'] {
  return targets.map((target, at) => {
    const own = rows.filter((row) => row.target === at);
    const count = (status: SessionRow['status']): number => own.filter((row) => row.status === status).length;
    return {
      subjectKind: target.kind,
      subjectId: target.targetId,
      subjectLabel: labelOf(target),
      attempted: own.length - count('pending'),
      succeeded: count('succeeded'),
      failed: count('failed'),
      rateLimited: count('rate_limited'),
    };
  });
}
