import type { ErrorCode } from '../../src/contract/errors.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { createKey, revokeKey } from '../../src/domain/operator/keys.ts';
import { removeMember, setMember } from '../../src/domain/operator/members.ts';
import { deleteOrganization } from '../../src/domain/operator/organizations.ts';
import { deleteUser } from '../../src/domain/operator/users.ts';
import type { TestService } from './service.ts';

/** The relation of a caller to the project in the path, or the reason for its refusal. */
type Standing =
  | 'elsewhere'
  | 'nowhere'
  | 'outside'
  | 'maker'
  | 'member'
  | 'admin'
  | { unauthorized: string; reason?: string; readsDirectory?: true; inDirectory?: string }
  | { forbidden: string };

/** A caller: the headers it sends and, where its standing depends on it, its user. */
export interface Caller {
  headers: () => Promise<Record<string, string>>;
  userId?: string;
}

export interface Principal {
  name: string;
  standing: Standing;
  /** Visibility of the project it calls; public by default. */
  visibility?: 'private';
  /** Administers the organization. */
  organizationAdmin?: true;
  /** Runs the installation. */
  operator?: true;
  /** The caller's role in each project it calls. */
  projectRole?: 'admin' | 'member';
  call(service: TestService): Promise<Caller> | Caller;
}

const sending = (authorization: string | undefined): Caller => ({
  headers: async () => (authorization === undefined ? {} : { authorization }),
});

const bearer = ({ key, userId }: { key: string; userId?: string }): Caller => ({
  ...sending(`Bearer ${key}`),
  ...(userId !== undefined && { userId }),
});

const invalid = { unauthorized: 'Invalid API key' };
const tokenRequired = { unauthorized: 'Bearer token required' };
const orphaned = { unauthorized: 'This key is no longer bound', reason: 'ORPHANED_KEY' };

export const principals: Principal[] = [
  { name: 'nobody', standing: tokenRequired, call: () => sending(undefined) },
  {
    name: 'malformed header',
    standing: tokenRequired,
    call: () => sending('Basic bm90LWEta2V5OnJlYWxseQ=='),
  },
  {
    name: 'unknown key',
    standing: invalid,
    call: () => bearer({ key: 'sk_0123456789012345678901234567890123456789012' }),
  },
  {
    name: 'guest',
    standing: {
      unauthorized: 'Guests cannot access this endpoint',
      inDirectory: 'This guest token is not valid for the directory',
    },
    call: () => bearer({ key: 'guest_x' }),
  },
  {
    name: 'guest of the directory',
    standing: { unauthorized: 'Guests cannot access this endpoint', readsDirectory: true },
    call: async (service) => {
      const { guestTokens } = service.running.services;
      const token = guestTokens.make(await organizationOf(service), Date.now() + 24 * 3_600_000);
      return bearer({ key: token });
    },
  },
  {
    name: 'revoked key',
    standing: invalid,
    call: async (service) => {
      const member = await service.member('owner');
      await revokeKey(service.db, member.keyId);
      return bearer(member);
    },
  },
  {
    name: 'key of a removed member',
    standing: orphaned,
    call: async (service) => {
      const member = await service.member('owner');
      await removeMember(service.db, { organization: await organizationOf(service) }, member.userId);
      return bearer(member);
    },
  },
  {
    name: 'key of a deleted organization',
    standing: orphaned,
    call: async (service) => {
      const { key, organizationId } = await service.stranger();
      await deleteOrganization(service.db, organizationId);
      return bearer({ key });
    },
  },
  {
    name: 'key of a deleted user',
    standing: { unauthorized: 'Unknown user', reason: 'ORPHANED_KEY' },
    call: async (service) => {
      const { key, userId } = await service.member('owner');
      await deleteUser(service.db, userId);
      return bearer({ key });
    },
  },
  {
    name: 'owner of another organization',
    standing: 'elsewhere',
    call: async (service) => bearer(await service.stranger()),
  },
  {
    name: 'member with a key for another organization',
    standing: 'elsewhere',
    call: async (service) => {
      const { organizationId, userId } = await service.stranger();
      await setMember(
        service.db,
        { organization: await organizationOf(service) },
        { user: userId, role: 'owner' },
      );
      return bearer(
        await createKey(service.db, { organization: organizationId, user: userId, name: 'other' }),
      );
    },
  },
  {
    name: 'outsider of a private project',
    standing: 'outside',
    visibility: 'private',
    call: async (service) => bearer(await service.member('member')),
  },
  {
    name: 'plain member',
    standing: 'member',
    call: async (service) => bearer(await service.member('member')),
  },
  {
    name: 'invited member of a private project',
    standing: 'member',
    visibility: 'private',
    projectRole: 'member',
    call: async (service) => bearer(await service.member('member')),
  },
  {
    name: 'project admin',
    standing: 'admin',
    visibility: 'private',
    projectRole: 'admin',
    call: async (service) => bearer(await service.member('member')),
  },
  {
    name: 'organization admin',
    standing: 'admin',
    organizationAdmin: true,
    visibility: 'private',
    call: async (service) => bearer(await service.member('admin')),
  },
  {
    name: 'maker of the fixtures',
    standing: 'maker',
    call: (service) => bearer(service),
  },
  {
    name: 'organization owner',
    standing: 'admin',
    organizationAdmin: true,
    visibility: 'private',
    call: async (service) => bearer(await service.member('owner')),
  },
];

export interface ExpectedRefusal {
  code: ErrorCode;
  message?: string;
  details?: Record<string, string>;
}

/** The refusal that the declared access requires; undefined if the call must succeed. */
export function expectedRefusal(
  { access, params = [] }: Pick<Operation, 'access'> & Partial<Pick<Operation, 'params'>>,
  { standing, organizationAdmin }: Pick<Principal, 'standing' | 'organizationAdmin'>,
): ExpectedRefusal | undefined {
  if (access === 'public') return undefined;
  if (access === 'directory reader' && typeof standing === 'object' && 'readsDirectory' in standing)
    return undefined;
  if (typeof standing === 'object' && 'unauthorized' in standing)
    return {
      code: 'UNAUTHORIZED',
      message: (access === 'directory reader' ? standing.inDirectory : undefined) ?? standing.unauthorized,
      ...(standing.reason !== undefined && { details: { reason: standing.reason } }),
    };
  if (access === 'key' || access === 'directory reader' || standing === 'maker') return undefined;
  if (access === 'requester')
    return params.includes('connectionRequestId')
      ? { code: 'NOT_FOUND', details: { code: 'REQUEST_NOT_FOUND' } }
      : { code: 'NOT_FOUND' };
  if (standing === 'elsewhere') return { code: 'NOT_FOUND' };
  if (access === 'organization member') return undefined;
  if (access === 'organization admin') return organizationAdmin ? undefined : { code: 'FORBIDDEN' };
  // The caller belongs to the organization, so it may know that the project exists.
  if (standing === 'outside')
    return access === 'project viewer' ? { code: 'NOT_FOUND' } : { code: 'FORBIDDEN', message: 'is private' };
  if (access === 'project admin' && standing === 'member') return { code: 'FORBIDDEN' };
  // The fixtures are shared in the project.
  if (access === 'own or project admin' && standing === 'member') return { code: 'FORBIDDEN' };
  return undefined;
}

export async function organizationOf(service: TestService): Promise<string> {
  return (await service.get('/organizations')).body.items[0].id as string;
}
