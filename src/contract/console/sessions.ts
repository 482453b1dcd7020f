import { z } from 'zod';
import { operationsIn } from '../operation.ts';
import { Time } from '../paging.ts';
import { VisibleName } from '../text.ts';
import { Email, Identity, NewPassword, OrganizationRole, Password } from './people.ts';

const operation = operationsIn({ area: 'Console', path: '', access: 'session' });
const forAnyone = operationsIn({ area: 'Console', path: '', access: 'visitor' });

const ways = z
  .object({
    oidc: z
      .object({ name: z.string().describe('What the button says: “Sign in with …”.') })
      .nullable()
      .describe('Null where no provider is set up.'),
    mail: z.boolean().describe('Whether this installation sends mail; without, links are copied.'),
  })
  .describe('How people get in, besides a password.');

const Person = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  imageUrl: z.string().nullable(),
  operator: z.boolean().describe('Runs this installation.'),
  hasPassword: z.boolean().describe('Whoever has none, and no identity, is asked to choose one.'),
  identities: z.array(Identity).describe('Accounts elsewhere that they sign in with.'),
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
  organizations: z.array(MyOrganization).describe('The oldest first; may be empty.'),
  organizationId: z
    .string()
    .nullable()
    .describe('The one that this session used last, or the first; what requests without a choice mean.'),
  ways,
  version: z.string().describe('Of this installation.'),
});

const SignedOut = z.object({ signedIn: z.literal(false), ways });

export const getSession = forAnyone({
  summary: 'Say who is signed in, and how one can be',
  path: '/session',
  response: z.discriminatedUnion('signedIn', [SignedIn, SignedOut]),
});

export const signIn = forAnyone({
  summary: 'Sign in with a password',
  description:
    'Sets the cookie. After 5 failures of an address of mail, or 20 from one network address, within 15 minutes it is refused for a while whatever the password.',
  method: 'POST',
  path: '/session',
  body: z.strictObject({ email: Email, password: Password }),
  example: { email: '{memberEmail}', password: 'correct horse battery' },
  response: SignedIn,
  errors: ['UNAUTHORIZED', 'RATE_LIMITED'],
});

export const signOut = operation({
  summary: 'End this session',
  method: 'DELETE',
  path: '/session',
  response: SignedOut,
});

export const requestReset = forAnyone({
  summary: 'Have a link to a new password mailed',
  description: 'The answer is the same whether or not anybody has the address.',
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
  summary: 'Choose a password',
  description: 'Ends all other sessions of the account.',
  method: 'PUT',
  path: '/password',
  body: z.strictObject({
    currentPassword: Password.optional().describe(
      'Needed where there is one. Whoever signs in with a provider instead has done so within the last ten minutes.',
    ),
    newPassword: NewPassword,
  }),
  example: { currentPassword: 'correct horse battery', newPassword: 'paper boats in the rain' },
  response: SignedIn,
  errors: ['RATE_LIMITED'],
});

export const updateProfile = operation({
  summary: 'Change the own name or e-mail address',
  description:
    'Where the installation sends mail, the address stays until the link that goes to the new one was opened. Otherwise one that somebody is invited with is refused.',
  method: 'PATCH',
  path: '/profile',
  body: z
    .strictObject({
      name: VisibleName.optional(),
      email: Email.optional().describe('Needs `currentPassword`; choose a password before.'),
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
      .describe('The new address, if it has to be confirmed with the link in a mail.'),
  }),
  errors: ['CONFLICT', 'FEATURE_NOT_SUPPORTED', 'RATE_LIMITED'],
});

const SessionEntry = z.object({
  id: z.string(),
  current: z.boolean(),
  way: z.enum(['password', 'link', 'oidc']).describe('How it began.'),
  address: z.string().describe('Where it was seen last.'),
  userAgent: z.string().nullable().describe('What the browser called itself.'),
  createdAt: Time,
  lastSeenAt: Time,
  expiresAt: Time.describe('Unless it is used before.'),
});

export const listMySessions = operation({
  summary: 'List the own sessions, newest first',
  path: '/sessions',
  response: z.object({ items: z.array(SessionEntry) }),
});

export const endSession = operation({
  summary: 'End one of the own sessions',
  method: 'DELETE',
  path: '/sessions/{signInId}',
  response: z.object({ id: z.string(), ended: z.literal(true) }),
});

/** Where to go on in the console; nothing that leads elsewhere. */
const ReturnTo = z
  .string()
  .max(2000)
  .regex(/^\/console(?:[/?#][!-[\]-~]*)?$/, 'Must be an address of the console');

export const startOidc = forAnyone({
  summary: 'Begin to sign in with the provider',
  description: 'Sets a cookie that finishOidc needs, and says where to send the browser.',
  method: 'POST',
  path: '/oidc/start',
  body: z.strictObject({
    returnTo: ReturnTo.optional(),
    currentPassword: Password.optional().describe(
      'Of whoever is signed in and links an identity, unless they signed in within the last ten minutes.',
    ),
  }),
  example: { returnTo: '/console/' },
  response: z.object({ url: z.string() }),
  errors: ['FEATURE_NOT_SUPPORTED', 'SERVER_UNREACHABLE', 'RATE_LIMITED'],
  readOnly: true,
});

export const finishOidc = forAnyone({
  summary: 'Sign in with what the provider said',
  description:
    'Whoever was signed in at the beginning, and still is, has the identity linked to their account. Otherwise it opens the account it is linked to, or one with the same verified e-mail address that has no password, or joins by an invitation or the organization of the settings.',
  method: 'POST',
  path: '/oidc/finish',
  body: z.strictObject({
    search: z.string().max(8000).describe('The query that the provider has sent the browser back with.'),
  }),
  example: { search: '?code=…&state=…' },
  response: SignedIn.extend({ returnTo: z.string().nullable() }),
  errors: ['UNAUTHORIZED', 'FEATURE_NOT_SUPPORTED', 'SERVER_UNREACHABLE', 'CONFLICT', 'RATE_LIMITED'],
});

export const unlinkIdentity = operation({
  summary: 'Have an account elsewhere open the own one no longer',
  description:
    'Ends all other sessions that began with a provider. Refused for the last way in: choose a password before.',
  method: 'POST',
  path: '/identities/{identityId}/unlink',
  body: z.strictObject({
    currentPassword: Password.optional().describe('Unless one signed in within the last ten minutes.'),
  }),
  example: {},
  response: SignedIn,
  errors: ['NOT_FOUND', 'CONFLICT', 'RATE_LIMITED'],
});

const LinkToken = z.string().min(1).max(200).describe('What stands behind `#` in the link.');

export const readLink = forAnyone({
  summary: 'Say what a link is for',
  method: 'POST',
  path: '/links/read',
  body: z.strictObject({ token: LinkToken }),
  example: { token: '{consoleLink}' },
  response: z.object({
    kind: z
      .enum(['sign-in', 'invitation', 'reset', 'email'])
      .describe(
        '`sign-in`: opens signed in, once. `reset`: asks for a new password. `email`: confirms a new address.',
      ),
    email: z.string(),
    organizationName: z.string().nullable().describe('Of an invitation.'),
    role: OrganizationRole.nullable(),
    needs: z
      .enum(['nothing', 'password', 'name and password', 'sign-in'])
      .describe(
        'What useLink needs besides the token. `sign-in`: the invited person, or whose address it is to be, has an account; sign in with it first.',
      ),
    expiresAt: Time,
  }),
  errors: ['NOT_FOUND'],
  readOnly: true,
});

export const useLink = forAnyone({
  summary: 'Use a link, which works once',
  method: 'POST',
  path: '/links/use',
  body: z.strictObject({ token: LinkToken, name: VisibleName.optional(), password: NewPassword.optional() }),
  example: { token: '{consoleLink}' },
  response: SignedIn,
  errors: ['NOT_FOUND', 'UNAUTHORIZED', 'CONFLICT', 'RATE_LIMITED'],
});
