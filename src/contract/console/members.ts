import { z } from 'zod';
import { operationsIn } from '../operation.ts';
import { lookupPage, pageOf, Time } from '../paging.ts';
import { VisibleName } from '../text.ts';
import { Email, Identity, OrganizationRole, PersonSummary } from './people.ts';

const operation = operationsIn({
  area: 'Console',
  path: '/organizations/{organizationId}',
  access: 'organization admin',
});

const Member = z.object({
  userId: z.string(),
  email: z.string(),
  name: z.string(),
  role: OrganizationRole,
  hasPassword: z.boolean(),
  lastSeenAt: Time.nullable().describe('In the console; null when there is no session.'),
});

export const listMembers = operation({
  summary: 'List the members of an organization',
  path: '/members',
  query: z.object(lookupPage),
  response: pageOf(Member, 'MemberPage'),
  access: 'organization member',
});

export const setMember = operation({
  summary: 'Give a member another role',
  description: 'Only an owner makes and unmakes owners. The last owner stays one.',
  method: 'PUT',
  path: '/members/{memberId}',
  body: z.strictObject({ role: OrganizationRole }),
  example: { role: 'admin' },
  response: Member,
  errors: ['CONFLICT'],
});

export const removeMember = operation({
  summary: 'Take somebody out of the organization and its projects',
  description: 'Their keys stop working, and so do their sessions here. The last owner stays.',
  method: 'DELETE',
  path: '/members/{memberId}',
  response: z.object({ userId: z.string(), removed: z.literal(true) }),
  errors: ['CONFLICT'],
});

const Link = {
  url: z.string().describe('Works once. Shown this once.'),
  mailed: z.boolean().describe('Whether it is on its way by mail too.'),
  mailError: z.string().optional().describe('Why it was not mailed, where a mail server is set.'),
  expiresAt: Time,
};

export const createResetLink = operation({
  summary: 'Make a link with which a member chooses a new password',
  description:
    'For others whom one may remove, in every organization that they belong to, and who are no operators; an operator may make one for members of others too. It works as long as its maker could make it.',
  method: 'POST',
  path: '/members/{memberId}/reset-link',
  status: 201,
  response: z.object({
    ...Link,
    identities: z
      .array(Identity)
      .describe('Accounts elsewhere that go on opening this one: look at them if it was taken over.'),
  }),
  errors: ['CONFLICT'],
});

const Invitation = z.object({
  id: z.string(),
  email: z.string(),
  role: OrganizationRole,
  invitedBy: PersonSummary.nullable(),
  createdAt: Time,
  expiresAt: Time,
});

export const listInvitations = operation({
  summary: 'List invitations that nobody has used',
  path: '/invitations',
  query: z.object(lookupPage),
  response: pageOf(Invitation, 'InvitationPage'),
});

export const createInvitation = operation({
  summary: 'Invite somebody to the organization',
  description:
    'An earlier invitation of the same address stops working. Only an owner invites owners, or takes such an invitation back. It works as long as its maker could make it.',
  method: 'POST',
  path: '/invitations',
  body: z.strictObject({ email: Email, role: OrganizationRole }),
  example: { email: 'ada@example.com', role: 'member' },
  status: 201,
  response: z.object({
    invitation: Invitation,
    ...Link,
    warning: z
      .string()
      .optional()
      .describe('Servers that stop working with a second user, and the settings that keep them.'),
  }),
  errors: ['CONFLICT'],
});

export const revokeInvitation = operation({
  summary: 'Take an invitation back',
  method: 'DELETE',
  path: '/invitations/{invitationId}',
  response: z.object({ id: z.string(), revoked: z.literal(true) }),
});

export const updateOrganization = operation({
  summary: 'Rename an organization',
  method: 'PATCH',
  body: z
    .strictObject({
      name: VisibleName.optional(),
      logoUrl: z
        .url({ protocol: /^https$/ })
        .max(2000)
        .regex(/^[^:]+:\/\/[^/?#@]*(?:[/?#]|$)/, 'May not hold a user or a password')
        .nullable()
        .optional()
        .describe('`null` takes it away.'),
    })
    .refine((body) => Object.keys(body).length > 0, 'Give at least one field to change'),
  example: { name: 'Shipyard' },
  response: z.object({ id: z.string(), name: z.string(), logoUrl: z.string().nullable() }),
});
