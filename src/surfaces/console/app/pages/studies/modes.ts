import type { Output } from '../../../../client/index.ts';

export type Mode = NonNullable<Output<'getStudy'>['mode']>;

/** From the few to the many; each lets in those before it too. */
export const modes = [
  {
    value: 'project_members',
    name: 'Members of the project',
    hint: 'Whoever is signed in to the console and may see this project.',
  },
  {
    value: 'invited_only',
    name: 'People who are invited',
    hint: 'Also people without an account, each by an e-mail address that you invite.',
  },
  {
    value: 'anyone_with_link',
    name: 'Anyone with the link',
    hint: 'Also guests, whom nobody knows: whoever has the link comes in and chats.',
  },
] as const satisfies { value: Mode; name: string; hint: string }[];

export function modeWords(mode: Mode | null | undefined): string {
  return modes.find(({ value }) => value === mode)?.name ?? '';
}

const rank = (mode: Mode): number => modes.findIndex(({ value }) => value === mode);

/** Who is out when a study lets in fewer than before; nothing when it does not. */
export function whoIsOut(before: Mode, after: Mode): string | undefined {
  if (rank(after) >= rank(before)) return undefined;
  if (before === 'invited_only')
    return 'Those who are invited and no members of the project are out at once.';
  return after === 'invited_only'
    ? 'Guests who are not invited are out at once.'
    : 'Guests, and those who are invited and no members of the project, are out at once.';
}
