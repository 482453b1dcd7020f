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
    .describe('Otherwise they are in by their role in the organization, or because the project is public.'),
});

export const listProjectMembers = operation({
  summary: 'List everybody who may enter a project',
  query: z.object(lookupPage),
  response: pageOf(ProjectMember, 'ProjectMemberPage'),
  access: 'project member',
});

export const setProjectMember = operation({
  summary: 'Invite a member of the organization to a project, or change their role in it',
  method: 'PUT',
  path: '/{memberId}',
  body: z.strictObject({ role: ProjectRole }),
  example: { role: 'admin' },
  response: ProjectMember,
});

export const removeProjectMember = operation({
  summary: 'Take an invitation to a project back',
  method: 'DELETE',
  path: '/{projectMemberId}',
  response: z.object({ userId: z.string(), removed: z.literal(true) }),
});
