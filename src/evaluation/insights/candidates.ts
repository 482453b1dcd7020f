import type { z } from 'zod';
import type { InsightsEnvelope } from '../../contract/insights.ts';
import { byCodeUnit } from '../../platform/canonical.ts';
import { isExecuted, type SessionFacts } from '../swarms/facts.ts';
import { sessionVerdict } from '../swarms/session-verdict.ts';
import { quote } from '../text/show.ts';
import type { FindingStatus } from './finding-status.ts';
import type { Observation } from './observe.ts';
import { ratings } from './visit-detectors.ts';

/** A finding as the API shows it. */
export type InsightFinding = z.infer<typeof InsightsEnvelope>['findings'][number];

/** An observation that fires, in the shape of insights responses. */
export interface Candidate extends Omit<Observation, 'fires' | 'affected' | 'total'> {
  affectedSessions: number;
  sliceTotal: number;
  findingStatus?: FindingStatus;
}

/** A candidate that a model has explained. */
export interface ExplainedCandidate extends Candidate {
  rootCause: string;
  recommendation: string;
  confidence: 'low' | 'medium' | 'high';
}

/** Insights into sessions: counted first, explained by a model afterwards. */
export interface SessionInsights {
  summary: string;
  sessionCount: number;
  candidates: ExplainedCandidate[];
  unnarratedCandidates: Candidate[];
  /** Some sessions were not analyzed, or some candidates are not shown. */
  truncated: boolean;
  /** There were few sessions. */
  lowConfidence: boolean;
}

export interface WaveInsights extends SessionInsights {
  judgeCoverage: { graded: number; total: number };
  /** Sessions without a conversation. */
  unanalyzedSessionCount: number;
}

export interface WindowInsights extends SessionInsights {
  feedbackCount: number;
}

/** Counts of one window of a study, stored without a request for insights. */
export interface StudySignals
  extends Pick<WindowInsights, 'sessionCount' | 'feedbackCount' | 'truncated' | 'lowConfidence'> {
  candidates: (Candidate & { title: string })[];
}

/** Statuses of findings, by fingerprint. */
type Statuses = ReadonlyMap<string, FindingStatus>;

const maxCandidates = 50;
const maxEvidenceOfStudy = 10;
/** Insights from fewer sessions have low confidence, because a single session exceeds the share of most detectors. */
const fewSessions = 5;

export function waveInsights(
  sessions: readonly SessionFacts[],
  observations: readonly Observation[],
  statuses: Statuses = new Map(),
): WaveInsights {
  const analyzed = sessions.filter(isExecuted);
  const judged = analyzed.filter((session) => sessionVerdict(session).graders.judge === 'scored');
  const met = judged.filter(({ judge }) => judge?.passed).length;
  const { shown, total } = candidatesOf(observations);
  return {
    summary: [
      `${analyzed.length} of ${sessions.length} sessions could be analyzed`,
      `; the goal was met in ${met} of ${judged.length} judged sessions. ${summaryOf(shown, total)}`,
    ].join(''),
    judgeCoverage: { graded: judged.length, total: analyzed.length },
    sessionCount: sessions.length,
    unanalyzedSessionCount: sessions.length - analyzed.length,
    truncated: total > shown.length,
    lowConfidence: analyzed.length < fewSessions,
    candidates: [],
    unnarratedCandidates: withStatuses(shown, statuses),
  };
}

/** `truncated`: the window has more sessions than the `sessionCount` that were analysed. */
export function studySignals(
  sessionCount: number,
  observations: readonly Observation[],
  truncated: boolean,
): StudySignals {
  const { shown, total } = candidatesOf(observations);
  return {
    sessionCount,
    feedbackCount: observations.find(({ detector }) => detector === ratings)?.total ?? 0,
    candidates: shown.map((candidate) => ({
      ...candidate,
      title: candidateTitle(candidate),
      evidenceSessionIds: candidate.evidenceSessionIds.slice(0, maxEvidenceOfStudy),
      evidenceTruncated: candidate.affectedSessions > maxEvidenceOfStudy,
    })),
    truncated: truncated || total > shown.length,
    lowConfidence: sessionCount < fewSessions,
  };
}

export function windowInsights({ candidates, ...counts }: StudySignals, statuses: Statuses): WindowInsights {
  const { sessionCount, feedbackCount } = counts;
  const sessions = sessionCount === 1 ? '1 session' : `${sessionCount} sessions`;
  const rated = `${feedbackCount} with a rating`;
  return {
    ...counts,
    summary: `${sessions}, ${rated}. ${summaryOf(candidates, candidates.length)}`,
    candidates: [],
    unnarratedCandidates: withStatuses(candidates, statuses),
  };
}

/** The `maxCandidates` firing observations with the largest share; `total` counts all that fire. */
function candidatesOf(observations: readonly Observation[]): { shown: Candidate[]; total: number } {
  const firing = observations.filter(({ fires }) => fires).sort(byShare);
  const shown = firing.slice(0, maxCandidates).map(({ fires: _fires, affected, total, ...observation }) => ({
    ...observation,
    affectedSessions: affected,
    sliceTotal: total,
  }));
  return { shown, total: firing.length };
}

/** Largest share first, then most affected sessions. */
function byShare(a: Observation, b: Observation): number {
  return b.metric - a.metric || b.affected - a.affected || byCodeUnit(a.fingerprint, b.fingerprint);
}

function withStatuses(candidates: readonly Candidate[], statuses: Statuses): Candidate[] {
  return candidates.map((candidate) => {
    const findingStatus = statuses.get(candidate.fingerprint);
    return { ...candidate, ...(findingStatus && { findingStatus }) };
  });
}

function summaryOf([first]: readonly Candidate[], count: number): string {
  if (!first) return 'Nothing was found.';
  const found = count === 1 ? '1 problem was found' : `${count} problems were found`;
  return `${found}; most affected: ${candidateTitle(first)}, in ${first.affectedSessions} of ${first.sliceTotal} sessions.`;
}

const titles: Readonly<Record<string, string>> = {
  criterion_failed: 'a criterion is not met',
  goal_missed: 'the judge rates the goal as missed',
  execution_failed: 'sessions break off',
  provider_limited: 'a provider limits sessions',
  tool_errored: 'a tool returns errors',
  unknown_tool_called: 'the model calls a tool that no server offers',
  no_tool_called: 'the model calls no tool, while other sessions call some',
  turn_cap_reached: 'the turn limit is reached before the goal is met',
  ask_repeated: 'visitors repeat a question',
  session_abandoned: 'visitors leave after a failure',
  turn_slow: 'visitors wait long for a reply',
  thumbs_down: 'visitors rate the session thumbs down',
};

/** Names a candidate for people and for models. */
export function candidateTitle({
  detector,
  subject,
}: {
  detector: string;
  subject: { kind: string; label: string };
}): string {
  return `${titles[detector] ?? detector} (${subject.kind} ${quote(subject.label)})`;
}
