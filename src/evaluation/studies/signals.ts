import type { FindingStatus } from '../swarms/life-cycle.ts';
import type { Observation } from '../swarms/observe.ts';
import {
  candidatesOf,
  candidateTitle,
  foundIn,
  type Narration,
  type WaveCandidate,
} from '../swarms/wave-insights.ts';
import type { VisitFacts } from './facts.ts';

/** Something that stands out, with its name for people. */
interface SignalCandidate extends WaveCandidate {
  title: string;
}

/** What was counted in seven days of a study. */
export interface StudySignals {
  sessionCount: number;
  feedbackCount: number;
  candidates: SignalCandidate[];
  /** There were more sessions than were looked at, or more candidates than are shown. */
  truncated: boolean;
  /** There were few sessions to go by. */
  lowConfidence: boolean;
}

/** The same, before and after a model has found words for it. */
export interface WindowInsights extends Narration {
  sessionCount: number;
  feedbackCount: number;
  truncated: boolean;
  lowConfidence: boolean;
}

const mostEvidence = 10;
const fewSessions = 5;

/** `truncated`: there were more sessions than these. */
export function studySignals(
  visits: readonly VisitFacts[],
  observations: readonly Observation[],
  truncated: boolean,
): StudySignals {
  const { shown, total } = candidatesOf(observations);
  return {
    sessionCount: visits.length,
    feedbackCount: visits.filter(({ liked }) => liked !== null).length,
    candidates: shown.map((candidate) => ({
      ...candidate,
      title: candidateTitle(candidate),
      evidenceSessionIds: candidate.evidenceSessionIds.slice(0, mostEvidence),
      evidenceTruncated: candidate.affectedSessions > mostEvidence,
    })),
    truncated: truncated || total > shown.length,
    lowConfidence: visits.length < fewSessions,
  };
}

/** `statuses` are those of findings, by fingerprint. */
export function windowInsights(
  { sessionCount, feedbackCount, candidates, truncated, lowConfidence }: StudySignals,
  statuses: ReadonlyMap<string, FindingStatus>,
): WindowInsights {
  const sessions = sessionCount === 1 ? 'One session' : `${sessionCount} sessions`;
  const said = feedbackCount === 1 ? 'one says' : `${feedbackCount} say`;
  return {
    summary: `${sessions}, of which ${said} how it went. ${foundIn(candidates[0], candidates.length)}`,
    sessionCount,
    feedbackCount,
    truncated,
    lowConfidence,
    candidates: [],
    unnarratedCandidates: candidates.map((candidate) => {
      const findingStatus = statuses.get(candidate.fingerprint);
      return { ...candidate, ...(findingStatus && { findingStatus }) };
    }),
  };
}
