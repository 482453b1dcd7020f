import type { Detector, Subject } from '../swarms/detectors.ts';
import { type Observation, observeWith } from '../swarms/observe.ts';
import type { VisitFacts } from './facts.ts';

/**
 * One unlucky visitor makes no finding: something fires when it happened in at least two sessions that are at least a
 * twentieth of those that could show it. What a visitor says, or that a last message got no reply, is certain: once is
 * enough.
 */
const chance = { share: 0.05, sessions: 2 };

/** What the sessions of visitors tell, in one order. */
export function observeVisits(
  study: { id: string; name: string },
  visits: readonly VisitFacts[],
): Observation[] {
  return observeWith(detectorsOf({ kind: 'study', id: study.id, label: study.name }), visits, chance);
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
    // Only somebody who spoke twice can repeat it.
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
