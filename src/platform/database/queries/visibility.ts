import { oneOf, type RowOf } from '../columns.ts';

export const organizationRoles = oneOf<'owner' | 'admin' | 'member'>();
export type OrganizationRole = RowOf<{ role: typeof organizationRoles }>['role'];

/**
 * SQL condition: the user sees the project `p`. `role` is the user's role in the organization, `invited` that in the
 * project, or null. Owners and admins see every project, members see public projects and those they were invited to.
 */
export const mayView = (role: string, invited: string): string =>
  `(${role} <> 'member' or p.visibility = 'public' or ${invited} is not null)`;
