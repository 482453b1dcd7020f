import type { Output } from '../../../../client/index.ts';

export type StudySession = Output<'listStudySessions'>['items'][number];

const segments: Record<string, string> = { guest: 'guest', invited: 'invited', member: 'member' };

/** Whom it was, as far as that is known. */
export function visitorWords({ visitor }: Pick<StudySession, 'visitor'>): string {
  const { displayName, segment = '', recency, deviceKind, language } = visitor;
  return [
    displayName,
    segments[segment] ?? segment,
    recency === 'returning' ? 'was here before' : undefined,
    deviceKind === 'other' ? undefined : deviceKind,
    language,
  ]
    .filter((word) => word !== undefined && word !== '')
    .join(', ');
}
