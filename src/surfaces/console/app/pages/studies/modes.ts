import type { Output } from '../../api/index.ts';

export type Mode = NonNullable<Output<'getStudy'>['mode']>;

/** Most to least restricted; each mode includes the ones before it. */
export const modes = [
  {
    value: 'project_members',
    name: 'Project members',
    hint: 'Signed-in users with access to this project.',
  },
  {
    value: 'invited_only',
    name: 'Invited people',
    hint: 'Also people without an account, invited by email.',
  },
  {
    value: 'anyone_with_link',
    name: 'Anyone with the link',
    hint: 'Also anonymous guests: anyone with the link can chat.',
  },
] as const satisfies { value: Mode; name: string; hint: string }[];

export function modeLabels(mode: Mode | null | undefined): string {
  return modes.find(({ value }) => value === mode)?.name ?? '';
}

const rank = (mode: Mode): number => modes.findIndex(({ value }) => value === mode);

/** Describes who loses access when a study is restricted; undefined if everyone keeps it. */
export function accessLostText(before: Mode, after: Mode): string | undefined {
  if (rank(after) >= rank(before)) return undefined;
  if (before === 'invited_only') return 'Invited people who are not project members lose access immediately.';
  return after === 'invited_only'
    ? 'Guests lose access immediately.'
    : 'Guests, and invited people who are not project members, lose access immediately.';
}
