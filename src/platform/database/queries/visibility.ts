import { oneOf, type RowOf } from '../columns.ts';

export const organizationRoles = oneOf<'owner' | 'admin' | 'member'>();
export type OrganizationRole = RowOf<{ role: typeof organizationRoles }>['role'];

/**
 * SQL: whether a user with this role in the organization sees the project `p`; `invited` is the role of an invitation to
 * the project, or null. Owners and admins see every project, members see public projects and those they were invited to.
 */
export const mayView = (role: string, invited: string): string =>
  `(${role} <> 'member' or p.visibility = 'public' or ${invited} is not null)`;
