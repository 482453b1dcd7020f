import type { Operations } from '../../contract/index.ts';
import type { OutputOf } from '../../contract/operation.ts';
import { candidateTitle, type Narration, type WaveCandidate } from '../../evaluation/index.ts';
import type { InsightsRow } from '../../platform/database/queries/insights-requests.ts';
import type { InsightsContent } from './content.ts';
import { standing } from './request.ts';

export type Envelope = NonNullable<OutputOf<Operations['getJourneyRun']>['insights']>;
type Finding = Envelope['findings'][number];

interface About {
  row: InsightsRow | undefined;
  scope: Envelope['scope'];
  /** What they are about is as it will be; else why not, in one word. */
  ready: true | string;
  coverage: Pick<Envelope['coverage'], 'analyzed' | 'total' | 'gradedCount' | 'feedbackCount'>;
  /** Where findings are looked for again. */
  next: string;
}

interface CountedSessions extends Narration {
  truncated: boolean;
  lowConfidence: boolean;
}

/** Insights into sessions, in the form that eval runs have them in. */
export function envelopeOf(
  content: InsightsContent<CountedSessions> | null,
  { row, scope, ready, coverage, next }: About,
): Envelope {
  const status = standing(row)?.status ?? (ready === true ? 'not_requested' : 'not_available');
  const { errorCode = null, errorMessage } = row ?? {};
  const truncated = content?.truncated ?? false;
  return {
    schemaVersion: 1,
    scope,
    status,
    reasonCode: status === 'not_available' && ready !== true ? ready : errorCode,
    retryable: status === 'failed' || status === 'not_available',
    error: errorCode === null ? null : { code: errorCode, message: errorMessage ?? '' },
    generatedAt: content?.generatedAt ?? null,
    updatedAt: row?.updatedAt ?? null,
    summary: content?.summary ?? null,
    coverage: {
      unit: 'sessions',
      ...coverage,
      truncated,
      lowConfidence: content?.lowConfidence ?? true,
    },
    findings: content ? findingsIn(scope.id, next, content) : [],
    truncation: { truncated, omittedFindings: 0, omittedEvidence: 0, contractTruncated: false },
  };
}

function findingsIn(
  scopeId: string,
  next: string,
  { candidates, unnarratedCandidates }: Narration,
): Finding[] {
  return [
    ...candidates.map(({ rootCause, recommendation, confidence, ...candidate }) => ({
      ...findingOf(scopeId, next, candidate),
      rootCause,
      recommendation,
      confidence,
    })),
    ...unnarratedCandidates.map((candidate) => findingOf(scopeId, next, candidate)),
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
  ask_repeated: {
    ...agent,
    recommendation: 'Read what was asked twice, and what the first answer left out.',
  },
  session_abandoned: {
    category: 'workflow',
    attribution: 'unknown',
    actionTarget: 'investigate',
    recommendation: 'Read the last message of the sessions, and the error or the failed calls behind it.',
  },
  turn_slow: {
    ...surroundings,
    recommendation: 'Look which calls take long, and how many steps a turn needs; then at the model.',
  },
  thumbs_down: {
    ...unclear,
    recommendation: 'Read the sessions, and what their visitors wrote about them.',
  },
};

function findingOf(scopeId: string, next: string, candidate: WaveCandidate): Finding {
  const { fingerprint, detector, affectedSessions: count, sliceTotal: total, metric } = candidate;
  const title = candidateTitle(candidate);
  return {
    id: `${scopeId}:${fingerprint}`,
    signalFingerprint: fingerprint,
    title,
    ...(filings[detector] ?? { ...unclear, recommendation: 'Read the sessions in which it happened.' }),
    actionability: count > 1 ? 'ready' : 'investigate',
    severity: metric >= 0.5 ? 'high' : metric >= 0.2 ? 'medium' : 'low',
    confidence: count >= 3 ? 'high' : count === 2 ? 'medium' : 'low',
    observed: `In ${count} of ${total} sessions: ${title}`,
    acceptanceCriteria: [`It happens in none of the sessions of ${next}`],
    affected: { count, total, unit: 'sessions' },
    patternSlug: detector,
    evidence: candidate.evidenceSessionIds
      .slice(0, 5)
      .map((sessionId) => ({ sessionId, kind: 'transcript', excerpt: '' })),
  };
}
