import { z } from 'zod';
import { VisibleName } from '../fields.ts';
import { operationsIn } from '../operation.ts';
import { lookupPage, pageOf, Time } from '../paging.ts';
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
  lastSeenAt: Time.nullable().describe('Last activity in the console. `null` without a session.'),
});

export const listMembers = operation({
  summary: 'List the members of an organization',
  path: '/members',
  query: z.object(lookupPage),
  response: pageOf(Member, 'MemberPage'),
  access: 'organization member',
});

export const setMember = operation({
  summary: 'Change the role of a member',
  description: 'Only owners can add or remove owners. The last owner cannot be changed.',
  method: 'PUT',
  path: '/members/{memberId}',
  body: z.strictObject({ role: OrganizationRole }),
  example: { role: 'admin' },
  response: Member,
  errors: ['CONFLICT'],
});

export const removeMember = operation({
  summary: 'Remove a member from the organization',
  description:
    'Also removes access to its projects, and revokes their keys and sessions in this organization. The last owner cannot be removed.',
  method: 'DELETE',
  path: '/members/{memberId}',
  response: z.object({ userId: z.string(), removed: z.literal(true) }),
  errors: ['CONFLICT'],
});

const Link = {
  url: z.string().describe('Works once. Shown only once.'),
  mailed: z.boolean().describe('Whether it was also sent by email.'),
  mailError: z.string().optional().describe('Why sending the email failed, if a mail server is configured.'),
  expiresAt: Time,
};

export const createResetLink = operation({
  summary: 'Create a password reset link for a member',
  description:
    'For members whom you can remove in every organization they belong to, and who are not operators. Operators can create links for members of other organizations too. The link works while its creator still has these permissions.',
  method: 'POST',
  path: '/members/{memberId}/reset-link',
  status: 201,
  response: z.object({
    ...Link,
    identities: z
      .array(Identity)
      .describe(
        'Linked identities that can still sign in to this account. Review them if the account was compromised.',
      ),
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
  summary: 'List pending invitations',
  path: '/invitations',
  query: z.object(lookupPage),
  response: pageOf(Invitation, 'InvitationPage'),
});

export const createInvitation = operation({
  summary: 'Invite a person to the organization',
  description:
    'Replaces an earlier invitation of the same address. Only owners can invite owners or revoke such invitations. The invitation works while its creator still has the permission.',
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
      .describe('Servers that stop working with a second user, and the settings that prevent it.'),
  }),
  errors: ['CONFLICT'],
});

export const revokeInvitation = operation({
  summary: 'Revoke an invitation',
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
        .regex(/^[^:]+:\/\/[^/?#@]*(?:[/?#]|$)/, 'Must not contain a user or a password')
        .nullable()
        .optional()
        .describe('`null` clears it.'),
    })
    .refine((body) => Object.keys(body).length > 0, 'Give at least one field to change'),
  example: { name: 'Shipyard' },
  response: z.object({ id: z.string(), name: z.string(), logoUrl: z.string().nullable() }),
});
