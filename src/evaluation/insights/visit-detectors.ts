import { type Detector, type Observation, observeWith, type Subject } from './observe.ts';
import type { VisitFacts } from './visits.ts';

/**
 * A detector fires if at least two sessions, and 5% of those in which the problem could occur, are affected: one
 * unlucky visitor is not a finding. For a bad rating or an unanswered last message, one session is enough.
 */
const threshold = { share: 0.05, sessions: 2 };

export function observeVisits(
  study: { id: string; name: string },
  visits: readonly VisitFacts[],
): Observation[] {
  return observeWith(detectorsOf({ kind: 'study', id: study.id, label: study.name }), visits, threshold);
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
      name: 'thumbs_down',
      dimension: 'feedback',
      read: ({ liked }) => (liked === null ? [] : ofStudy(!liked, true)),
    },
  ];
}
