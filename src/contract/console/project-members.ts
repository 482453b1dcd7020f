import { z } from 'zod';
import { operationsIn } from '../operation.ts';
import { lookupPage, pageOf } from '../paging.ts';
import { ProjectRole } from './people.ts';

const operation = operationsIn({
  area: 'Console',
  path: '/projects/{projectId}/members',
  access: 'project admin',
});

const ProjectMember = z.object({
  userId: z.string(),
  email: z.string(),
  name: z.string(),
  role: ProjectRole,
  invited: z
    .boolean()
    .describe('`false` if access comes from the role in the organization or from a public project.'),
});

export const listProjectMembers = operation({
  summary: 'List everyone with access to a project',
  query: z.object(lookupPage),
  response: pageOf(ProjectMember, 'ProjectMemberPage'),
  access: 'project member',
});

export const setProjectMember = operation({
  summary: 'Add a member to a project, or change their role',
  method: 'PUT',
  path: '/{memberId}',
  body: z.strictObject({ role: ProjectRole }),
  example: { role: 'admin' },
  response: ProjectMember,
});

export const removeProjectMember = operation({
  summary: 'Remove a member from a project',
  method: 'DELETE',
  path: '/{projectMemberId}',
  response: z.object({ userId: z.string(), removed: z.literal(true) }),
});
