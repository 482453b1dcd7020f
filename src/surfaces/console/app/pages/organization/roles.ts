import type { ConsoleOutput } from '../../../../client/console.ts';

export type Member = ConsoleOutput<'listMembers'>['items'][number];
export type Role = Member['role'];

export const roleWords: Record<Role, string> = {
  owner: 'everything, owners included',
  admin: 'everything but owners',
  member: 'the projects they may enter',
};

const roles: readonly Role[] = ['member', 'admin', 'owner'];

/** Those that somebody may give: only an owner makes owners. */
export function rolesGivenBy(mine: Role): Role[] {
  return roles.filter((role) => mine === 'owner' || role !== 'owner');
}

/** Whether somebody decides about a member: only an owner about owners. */
export function decidesAbout(mine: Role, theirs: Role): boolean {
  return mine === 'owner' || (mine === 'admin' && theirs !== 'owner');
}
