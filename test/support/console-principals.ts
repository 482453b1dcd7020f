import type { Operation } from '../../src/contract/operation.ts';
import { removeMember, setMember } from '../../src/domain/operator/members.ts';
import { deleteOrganization } from '../../src/domain/operator/organizations.ts';
import { deleteUser, setOperator } from '../../src/domain/operator/users.ts';
import { newSession } from './people.ts';
import { type ExpectedRefusal, expectedRefusal, organizationOf, type Principal } from './principals.ts';
import type { TestService } from './service.ts';

const signedOut = { unauthorized: 'You are not signed in', reason: 'SIGNED_OUT' };

/** The headers of a request from a page. */
function headersOf(service: TestService, session?: string): Record<string, string> {
  const own = { 'x-drydock-console': '1', origin: service.origin, 'sec-fetch-site': 'same-origin' };
  return session === undefined ? own : { ...own, cookie: `drydock_session=${session}` };
}

/** Makes a new session for each call, because some calls end theirs. */
function withSession(make: (service: TestService) => Promise<string>): Principal['call'] {
  return async (service) => {
    const userId = await make(service);
    return { userId, headers: async () => headersOf(service, await newSession(service, userId)) };
  };
}

const member = (role: 'owner' | 'admin' | 'member') =>
  withSession(async (service) => (await service.member(role)).userId);

export const consolePrincipals: Principal[] = [
  {
    name: 'nobody',
    standing: signedOut,
    call: (service) => ({ headers: async () => headersOf(service) }),
  },
  {
    name: 'unknown session',
    standing: signedOut,
    call: (service) => ({ headers: async () => headersOf(service, 'A'.repeat(43)) }),
  },
  {
    name: 'API key of an owner',
    standing: { forbidden: 'API keys' },
    call: (service) => ({
      headers: async () => ({ ...headersOf(service), authorization: `Bearer ${service.key}` }),
    }),
  },
  {
    name: 'session of a deleted user',
    standing: signedOut,
    call: async (service) => {
      const { userId } = await service.member('owner');
      const session = await newSession(service, userId);
      await deleteUser(service.db, userId);
      return { headers: async () => headersOf(service, session) };
    },
  },
  {
    name: 'session of a removed member',
    standing: 'nowhere',
    call: withSession(async (service) => {
      const { userId } = await service.member('owner');
      await removeMember(service.db, { organization: await organizationOf(service) }, userId);
      return userId;
    }),
  },
  {
    name: 'owner of another organization',
    standing: 'elsewhere',
    call: withSession(async (service) => (await service.stranger()).userId),
  },
  {
    name: 'owner of a deleted organization',
    standing: 'nowhere',
    call: withSession(async (service) => {
      const { userId, organizationId } = await service.stranger();
      await deleteOrganization(service.db, organizationId);
      return userId;
    }),
  },
  {
    name: 'outsider of a private project',
    standing: 'outside',
    visibility: 'private',
    call: member('member'),
  },
  { name: 'plain member', standing: 'member', call: member('member') },
  {
    name: 'member of two organizations',
    standing: 'member',
    call: withSession(async (service) => {
      const { userId } = await service.stranger();
      const organization = await organizationOf(service);
      await setMember(service.db, { organization }, { user: userId, role: 'member' });
      return userId;
    }),
  },
  {
    name: 'invited member of a private project',
    standing: 'member',
    visibility: 'private',
    projectRole: 'member',
    call: member('member'),
  },
  {
    name: 'project admin',
    standing: 'admin',
    visibility: 'private',
    projectRole: 'admin',
    call: member('member'),
  },
  {
    name: 'organization admin',
    standing: 'admin',
    organizationAdmin: true,
    visibility: 'private',
    call: member('admin'),
  },
  {
    name: 'maker of the fixtures',
    standing: 'maker',
    organizationAdmin: true,
    operator: true,
    call: withSession(async (service) => (await service.get('/me')).body.id as string),
  },
  {
    name: 'organization owner',
    standing: 'admin',
    organizationAdmin: true,
    visibility: 'private',
    call: member('owner'),
  },
  {
    name: 'operator of nothing else',
    standing: 'elsewhere',
    operator: true,
    call: withSession(async (service) => {
      const { userId } = await service.stranger();
      await setOperator(service.db, userId, true);
      return userId;
    }),
  },
];

/** A member who calls the API from a page. */
export const inTheConsole: Principal = {
  name: 'member in the console',
  standing: 'member',
  call: member('member'),
};

/** The refusal that the access of an operation of the console calls for. */
export function expectedInConsole(
  operation: Pick<Operation, 'access' | 'id'>,
  principal: Principal,
): ExpectedRefusal | undefined {
  const { standing, operator, organizationAdmin } = principal;
  const { access, id } = operation;
  if (typeof standing === 'object' && 'forbidden' in standing)
    return { code: 'FORBIDDEN', message: standing.forbidden };
  // No provider is configured here.
  if (/Oidc$/.test(id)) return { code: 'FEATURE_NOT_SUPPORTED' };
  if (access === 'visitor') return undefined;
  if (typeof standing === 'object') return expectedRefusal(operation, principal);
  if (access === 'operator') return operator ? undefined : { code: 'FORBIDDEN', message: 'an operator' };
  if (id === 'endSession' || id === 'unlinkIdentity')
    return standing === 'maker' ? undefined : { code: 'NOT_FOUND' };
  if (access === 'session') return undefined;
  if (standing === 'nowhere')
    return /^project/.test(access)
      ? { code: 'UNAUTHORIZED', details: { reason: 'NO_ORGANIZATION' } }
      : { code: 'NOT_FOUND' };
  const refusal = expectedRefusal(operation, principal);
  if (refusal) return refusal;
  // The key among the fixtures belongs to the maker.
  if (id === 'revokeKey' && !organizationAdmin) return { code: 'NOT_FOUND', message: 'that you can revoke' };
  return undefined;
}
