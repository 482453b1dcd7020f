import {
  type Detector,
  type Observation,
  observationsOf,
  type Reading,
  readingsOf,
  type Subject,
  type Tally,
} from './observe.ts';
import type { VisitFacts } from './visits.ts';

/**
 * A detector fires if at least two sessions, and 5% of those in which the problem could occur, are affected: one
 * unlucky visitor is not a finding. For a bad rating or an unanswered last message, one session is enough.
 */
const threshold = { share: 0.05, sessions: 2 };

/** The detector that reads every session with a rating. */
export const ratings = 'thumbs_down';

/**
 * Readings are stored and counted again with those of later sessions. Increase this whenever the same session would be
 * read differently, so that stored readings are replaced.
 */
export const readingRules = 1;

export function readingsOfVisit(study: { id: string; name: string }, visit: VisitFacts): Reading[] {
  return readingsOf(detectorsOf({ kind: 'study', id: study.id, label: study.name }), visit);
}

export function visitObservations(tallies: readonly Tally[]): Observation[] {
  return observationsOf(tallies, threshold);
}

function detectorsOf(study: Subject): Detector<VisitFacts>[] {
  const ofStudy = (happened: boolean, certain = false) => [{ subject: study, happened, certain }];
  return [
    {
      name: 'tool_errored',
      dimension: 'tools',
      read: ({ tools }) =>
        tools.map(({ serverId, toolName, failed }) => ({
          subject: { kind: 'tool', id: `${serverId ?? ''}/${toolName}`, label: toolName },
          happened: failed > 0,
          certain: false,
        })),
    },
    // A repetition needs at least two messages.
    {
      name: 'ask_repeated',
      dimension: 'conversation',
      read: (visit) => (visit.turns > 1 ? ofStudy(visit.repeatsItself) : []),
    },
    {
      name: 'session_abandoned',
      dimension: 'conversation',
      read: ({ end }) => (end === null ? [] : ofStudy(end !== 'answered', end === 'unanswered')),
    },
    {
      name: 'turn_slow',
      dimension: 'speed',
      read: ({ turns, slowTurns }) => (turns > 0 ? ofStudy(slowTurns > 0) : []),
    },
    {
      name: ratings,
      dimension: 'feedback',
      read: ({ liked }) => (liked === null ? [] : ofStudy(!liked, true)),
    },
  ];
}
