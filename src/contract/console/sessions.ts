import { z } from 'zod';
import { VisibleName } from '../fields.ts';
import { operationsIn } from '../operation.ts';
import { Time } from '../paging.ts';
import { Email, Identity, NewPassword, OrganizationRole, Password } from './people.ts';

const operation = operationsIn({ area: 'Console', path: '', access: 'session' });
const forAnyone = operationsIn({ area: 'Console', path: '', access: 'visitor' });

const ways = z
  .object({
    oidc: z
      .object({ name: z.string().describe('Provider name on the button “Sign in with …”.') })
      .nullable()
      .describe('`null` if no provider is configured.'),
    mail: z.boolean().describe('Whether this installation sends mail. If not, links must be copied.'),
  })
  .describe('Sign-in options besides a password.');

const Person = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  imageUrl: z.string().nullable(),
  operator: z.boolean().describe('Whether the user is an operator of this installation.'),
  hasPassword: z
    .boolean()
    .describe('If the user has neither a password nor an identity, the console asks to set a password.'),
  identities: z.array(Identity).describe('Linked accounts at identity providers.'),
});

const MyOrganization = z.object({
  id: z.string(),
  name: z.string(),
  logoUrl: z.string().nullable(),
  plan: z.string(),
  role: OrganizationRole,
  createdAt: Time,
});

const SignedIn = z.object({
  signedIn: z.literal(true),
  sessionId: z.string(),
  user: Person,
  organizations: z.array(MyOrganization).describe('Oldest first. May be empty.'),
  organizationId: z
    .string()
    .nullable()
    .describe(
      'Organization of requests that do not select one: the last one used by this session, or the first.',
    ),
  ways,
  version: z.string().describe('Version of this installation.'),
});

const SignedOut = z.object({ signedIn: z.literal(false), ways });

export const getSession = forAnyone({
  summary: 'Read the signed-in user and the sign-in options',
  path: '/session',
  response: z.discriminatedUnion('signedIn', [SignedIn, SignedOut]),
});

export const signIn = forAnyone({
  summary: 'Sign in with a password',
  description:
    'Sets the session cookie. After 5 failures for an email address from one network, or 20 from one network for any address, within 15 minutes, further attempts are refused for a while.',
  method: 'POST',
  path: '/session',
  body: z.strictObject({ email: Email, password: Password }),
  example: { email: '{memberEmail}', password: 'correct horse battery' },
  response: SignedIn,
  errors: ['UNAUTHORIZED', 'RATE_LIMITED'],
});

export const signOut = operation({
  summary: 'Sign out',
  method: 'DELETE',
  path: '/session',
  response: SignedOut,
});

export const requestReset = forAnyone({
  summary: 'Request a password reset by email',
  description: 'The response is the same whether or not the address has an account.',
  method: 'POST',
  path: '/password/reset',
  body: z.strictObject({ email: Email }),
  example: { email: '{memberEmail}' },
  status: 202,
  response: z.object({
    mail: z.boolean().describe('Whether this installation sends mail. If not, ask an administrator.'),
  }),
  errors: ['FEATURE_NOT_SUPPORTED', 'RATE_LIMITED'],
});

export const changePassword = operation({
  summary: 'Set a password',
  description: 'Ends all other sessions of the account.',
  method: 'PUT',
  path: '/password',
  body: z.strictObject({
    currentPassword: Password.optional().describe(
      'Required if the account has a password. Otherwise, the user must have signed in with a provider within the last ten minutes.',
    ),
    newPassword: NewPassword,
  }),
  example: { currentPassword: 'correct horse battery', newPassword: 'paper boats in the rain' },
  response: SignedIn,
  errors: ['RATE_LIMITED'],
});

export const updateProfile = operation({
  summary: 'Change your name or email address',
  description:
    'If the installation sends mail, the new address takes effect once its confirmation link is opened. Otherwise, an address with a pending invitation is refused.',
  method: 'PATCH',
  path: '/profile',
  body: z
    .strictObject({
      name: VisibleName.optional(),
      email: Email.optional().describe('Requires `currentPassword`, so set a password first.'),
      currentPassword: Password.optional(),
    })
    .refine(
      ({ name, email }) => name !== undefined || email !== undefined,
      'Give at least one field to change',
    ),
  example: { name: 'Ada' },
  response: SignedIn.extend({
    confirmationSentTo: z
      .string()
      .nullable()
      .describe('New address that must be confirmed with an emailed link.'),
  }),
  errors: ['CONFLICT', 'FEATURE_NOT_SUPPORTED', 'RATE_LIMITED'],
});

const SessionEntry = z.object({
  id: z.string(),
  current: z.boolean(),
  way: z.enum(['password', 'link', 'oidc']).describe('How the session was started.'),
  address: z.string().describe('Last network address.'),
  userAgent: z.string().nullable().describe('User agent of the browser.'),
  createdAt: Time,
  lastSeenAt: Time,
  expiresAt: Time.describe('Expiry, unless the session is used before.'),
});

export const listMySessions = operation({
  summary: 'List your sessions, newest first',
  path: '/sessions',
  response: z.object({ items: z.array(SessionEntry) }),
});

export const endSession = operation({
  summary: 'End one of your sessions',
  method: 'DELETE',
  path: '/sessions/{signInId}',
  response: z.object({ id: z.string(), ended: z.literal(true) }),
});

/** Console path to continue at. Other origins are rejected. */
const ReturnTo = z
  .string()
  .max(2000)
  .regex(/^\/console(?:[/?#][!-[\]-~]*)?$/, 'Must be a path of the console');

export const startOidc = forAnyone({
  summary: 'Start signing in with the provider',
  description: 'Sets a cookie for finishOidc and returns the URL to redirect the browser to.',
  method: 'POST',
  path: '/oidc/start',
  body: z.strictObject({
    returnTo: ReturnTo.optional(),
    currentPassword: Password.optional().describe(
      'Password of a signed-in user who links an identity. Not required within ten minutes of signing in.',
    ),
  }),
  example: { returnTo: '/console/' },
  response: z.object({ url: z.string() }),
  errors: ['FEATURE_NOT_SUPPORTED', 'SERVER_UNREACHABLE', 'RATE_LIMITED'],
  readOnly: true,
});

export const finishOidc = forAnyone({
  summary: 'Finish signing in with the provider',
  description:
    'If a user started the flow while signed in and still is, links the identity to their account. Otherwise signs in to the linked account, or to an account without a password that has the same verified email address. If there is none, creates an account through an invitation or the organization in the settings.',
  method: 'POST',
  path: '/oidc/finish',
  body: z.strictObject({
    search: z.string().max(8000).describe('Query string of the redirect from the provider.'),
  }),
  example: { search: '?code=…&state=…' },
  response: SignedIn.extend({ returnTo: z.string().nullable() }),
  errors: ['UNAUTHORIZED', 'FEATURE_NOT_SUPPORTED', 'SERVER_UNREACHABLE', 'CONFLICT', 'RATE_LIMITED'],
});

export const unlinkIdentity = operation({
  summary: 'Unlink an identity',
  description:
    'Ends all other sessions that were started with a provider. Refused if it is the only way to sign in: set a password first.',
  method: 'POST',
  path: '/identities/{identityId}/unlink',
  body: z.strictObject({
    currentPassword: Password.optional().describe('Not required within ten minutes of signing in.'),
  }),
  example: {},
  response: SignedIn,
  errors: ['NOT_FOUND', 'CONFLICT', 'RATE_LIMITED'],
});

const LinkToken = z.string().min(1).max(200).describe('Part of the link after `#`.');

export const readLink = forAnyone({
  summary: 'Read the purpose of a link',
  method: 'POST',
  path: '/links/read',
  body: z.strictObject({ token: LinkToken }),
  example: { token: '{consoleLink}' },
  response: z.object({
    kind: z
      .enum(['sign-in', 'invitation', 'reset', 'email'])
      .describe('`sign-in`: signs in once. `reset`: sets a new password. `email`: confirms a new address.'),
    email: z.string(),
    organizationName: z.string().nullable().describe('Organization of an invitation.'),
    role: OrganizationRole.nullable(),
    needs: z
      .enum(['nothing', 'password', 'name and password', 'sign-in'])
      .describe(
        'Requirements of useLink besides the token. `sign-in`: the person has an account and must sign in first.',
      ),
    expiresAt: Time,
  }),
  errors: ['NOT_FOUND'],
  readOnly: true,
});

export const useLink = forAnyone({
  summary: 'Use a one-time link',
  method: 'POST',
  path: '/links/use',
  body: z.strictObject({ token: LinkToken, name: VisibleName.optional(), password: NewPassword.optional() }),
  example: { token: '{consoleLink}' },
  response: SignedIn,
  errors: ['NOT_FOUND', 'UNAUTHORIZED', 'CONFLICT', 'RATE_LIMITED'],
});
