import type { Output } from '../../api/index.ts';

export type StudySession = Output<'listStudySessions'>['items'][number];

const segments: Record<string, string> = { guest: 'guest', invited: 'invited', member: 'member' };

export function visitorText({ visitor }: Pick<StudySession, 'visitor'>): string {
  const { displayName, segment = '', recency, deviceKind, language } = visitor;
  return [
    displayName,
    segments[segment] ?? segment,
    recency === 'returning' ? 'returning' : undefined,
    deviceKind === 'other' ? undefined : deviceKind,
    language,
  ]
    .filter((word) => word !== undefined && word !== '')
    .join(', ');
}
