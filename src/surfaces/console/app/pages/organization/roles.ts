import type { ConsoleOutput } from '../../api/index.ts';

export type Member = ConsoleOutput<'listMembers'>['items'][number];
export type Role = Member['role'];

export const roleLabels: Record<Role, string> = {
  owner: 'do everything, including managing owners',
  admin: 'do everything except manage owners',
  member: 'work in the projects they have access to',
};

const roles: readonly Role[] = ['member', 'admin', 'owner'];

/** Roles that a member can assign: only owners assign owner. */
export function rolesGivenBy(mine: Role): Role[] {
  return roles.filter((role) => mine === 'owner' || role !== 'owner');
}

/** Whether a role can manage a member: only owners manage owners. */
export function decidesAbout(mine: Role, theirs: Role): boolean {
  return mine === 'owner' || (mine === 'admin' && theirs !== 'owner');
}
