import { byCodeUnit } from '../../platform/canonical.ts';
import { quote } from '../text/show.ts';
import { isExecuted, type SessionFacts } from './facts.ts';
import type { FindingStatus } from './life-cycle.ts';
import type { Observation } from './observe.ts';
import { sessionVerdict } from './session-verdict.ts';

/** An observation that fires, as the insights of a wave show it. */
export interface WaveCandidate {
  fingerprint: string;
  detector: string;
  dimension: string;
  subject: Observation['subject'];
  affectedSessions: number;
  sliceTotal: number;
  /** The share of the slice that is affected. */
  metric: number;
  evidenceSessionIds: string[];
  contrastSessionIds: string[];
  evidenceTruncated: boolean;
  findingStatus?: FindingStatus;
}

/** One that a model has explained. */
export interface NarratedCandidate extends WaveCandidate {
  rootCause: string;
  recommendation: string;
  confidence: 'low' | 'medium' | 'high';
}

/** What was counted, and the words that were found for it. */
export interface Narration {
  summary: string;
  candidates: NarratedCandidate[];
  unnarratedCandidates: WaveCandidate[];
}

export interface WaveInsights extends Narration {
  judgeCoverage: { graded: number; total: number };
  sessionCount: number;
  /** Of sessions without a conversation to look at. */
  unanalyzedSessionCount: number;
  /** There were more candidates than are shown. */
  truncated: boolean;
  /** There were few sessions to go by. */
  lowConfidence: boolean;
}

const mostCandidates = 50;
/** With fewer, one session alone is a fifth of them or more, which is where findings begin. */
const fewSessions = 5;

/** What was counted in a wave, before anybody explains it. `statuses` are those of findings, by fingerprint. */
export function waveInsights(
  sessions: readonly SessionFacts[],
  observations: readonly Observation[],
  statuses: ReadonlyMap<string, FindingStatus> = new Map(),
): WaveInsights {
  const analyzed = sessions.filter(isExecuted);
  const judged = analyzed.filter((session) => sessionVerdict(session).graders.judge === 'scored');
  const { shown, total } = candidatesOf(observations, statuses);
  return {
    summary: [
      `${analyzed.length} of ${sessions.length} sessions could be analyzed`,
      `; the goal was met in ${judged.filter(({ judge }) => judge?.passed).length} of the ${judged.length} that were judged.`,
      ` ${foundIn(shown[0], total)}`,
    ].join(''),
    judgeCoverage: { graded: judged.length, total: analyzed.length },
    sessionCount: sessions.length,
    unanalyzedSessionCount: sessions.length - analyzed.length,
    truncated: total > shown.length,
    lowConfidence: analyzed.length < fewSessions,
    candidates: [],
    unnarratedCandidates: shown,
  };
}

/** Those that fire, the most affected first, as far as they are shown; and how many there are. */
export function candidatesOf(
  observations: readonly Observation[],
  statuses: ReadonlyMap<string, FindingStatus> = new Map(),
): { shown: WaveCandidate[]; total: number } {
  const firing = observations.filter(({ fires }) => fires).sort(byShare);
  return {
    shown: firing.slice(0, mostCandidates).map((one) => candidateOf(one, statuses)),
    total: firing.length,
  };
}

/** The largest share first; of equal shares the one with more sessions behind it. */
function byShare(a: Observation, b: Observation): number {
  return b.metric - a.metric || b.affected - a.affected || byCodeUnit(a.fingerprint, b.fingerprint);
}

function candidateOf(
  { fires: _fires, affected, total, ...observation }: Observation,
  statuses: ReadonlyMap<string, FindingStatus>,
): WaveCandidate {
  const findingStatus = statuses.get(observation.fingerprint);
  return {
    ...observation,
    affectedSessions: affected,
    sliceTotal: total,
    ...(findingStatus && { findingStatus }),
  };
}

export function foundIn(first: WaveCandidate | undefined, count: number): string {
  if (!first) return 'Nothing was found.';
  const things = count === 1 ? 'One thing was found' : `${count} things were found`;
  return `${things}; most affected: ${candidateTitle(first)}, in ${first.affectedSessions} of ${first.sliceTotal} sessions.`;
}

const words: Readonly<Record<string, string>> = {
  criterion_failed: 'a criterion is not met',
  goal_missed: 'the judge sees the goal missed',
  execution_failed: 'sessions break',
  provider_limited: 'a provider limits sessions',
  tool_errored: 'a tool answers with errors',
  unknown_tool_called: 'a tool is called that no server has',
  no_tool_called: 'no tool is called where other sessions call some',
  turn_cap_reached: 'the turns run out before the goal is met',
  ask_repeated: 'visitors ask for the same again',
  session_abandoned: 'visitors leave after something failed',
  turn_slow: 'visitors wait long for an answer',
  thumbs_down: 'visitors say that it was no good',
};

/** In words, for people and for models. */
export function candidateTitle({
  detector,
  subject,
}: {
  detector: string;
  subject: { kind: string; label: string };
}): string {
  return `${words[detector] ?? detector} (${subject.kind} ${quote(subject.label)})`;
}
