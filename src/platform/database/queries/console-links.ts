import { bigint, bytes, flag, oneOf, orNull, type RowOf, table, text, time } from '../columns.ts';
import { query } from '../query.ts';
import type { OrganizationRole } from './visibility.ts';

const links = table(
  'console_links',
  {
    id: text,
    kind: oneOf<'sign-in' | 'invitation' | 'reset' | 'email'>(),
    userId: orNull(text),
    email: orNull(text),
    organizationId: orNull(text),
    role: orNull(oneOf<OrganizationRole>()),
    madeBy: orNull(text),
    createdAt: time,
    expiresAt: time,
    usedAt: orNull(time),
    withdrawnAt: orNull(time),
  },
  { hash: bytes },
);
export type LinkRow = RowOf<typeof links.columns>;

const written = [
  'id',
  'hash',
  'kind',
  'userId',
  'email',
  'organizationId',
  'role',
  'madeBy',
  'expiresAt',
] as const;
export const insert = query(
  'console-links.insert',
  `${links.insert(written)} returning created_at as "createdAt"`,
  links.pick(written),
  links.pick(['createdAt']),
);
/** A link with the name of its organization and the account that has its email address now. */
export const find = query(
  'console-links.find',
  `select ${links.all('l')}, o.name as "organizationName", coalesce(l.email, u.email) as address,
     a.id as "accountId"
   from console_links l left join organizations o on o.id = l.organization_id
     left join users u on u.id = l.user_id left join users a on lower(a.email) = lower(l.email)
   where l.hash = :hash`,
  { hash: bytes },
  { ...links.columns, organizationName: orNull(text), address: orNull(text), accountId: orNull(text) },
);
/** Marks the link as used. Of concurrent requests only the first updates the row. */
export const use = query(
  'console-links.use',
  `update console_links set used_at = now()
   where id = :id and used_at is null and withdrawn_at is null and expires_at > now()`,
  { id: text },
);

/** SQL condition: `l` is an invitation that is unused, not revoked and not expired. */
const isOpen = (l: string): string =>
  `${l}.kind = 'invitation' and ${l}.used_at is null and ${l}.withdrawn_at is null and ${l}.expires_at > now()`;

const invitation = {
  ...links.pick(['id', 'createdAt', 'expiresAt']),
  email: text,
  role: oneOf<OrganizationRole>(),
  inviterId: text,
  inviterEmail: text,
  inviterName: text,
};
export type InvitationRow = RowOf<typeof invitation>;
/**
 * Usable invitations, with the columns by which `refusalFor` checks their creators. The database allows null for the
 * email and role of a link, but invitations have both.
 */
export const invitations = query(
  'console-links.invitations',
  `select l.id, l.created_at as "createdAt", l.expires_at as "expiresAt", u.id as "inviterId",
     coalesce(l.email, '') as email, coalesce(l.role, 'member') as role, u.email as "inviterEmail", u.name as "inviterName"
   from console_links l join users u on u.id = l.made_by
     join organization_members m on m.organization_id = l.organization_id and m.user_id = l.made_by
   where l.organization_id = :organizationId and ${isOpen('l')}
     and (m.role = 'owner' or (m.role = 'admin' and l.role <> 'owner')) and l.id > :after order by l.id limit :most`,
  { organizationId: text, after: text, most: bigint },
  invitation,
  { index: 'console_links_organization' },
);
/** Invitations of an address to any organization. */
export const invitationsFor = query(
  'console-links.invitations-for',
  `select ${links.all('l')} from console_links l where lower(l.email) = lower(:email) and ${isOpen('l')}
   order by l.organization_id`,
  { email: text },
  links.columns,
);
/** Finds an invitation that is unused, not revoked and not expired. */
export const findInvitation = query(
  'console-links.find-invitation',
  `select ${links.all('l')} from console_links l where l.organization_id = :organizationId and l.id = :id
     and ${isOpen('l')}`,
  { organizationId: text, id: text },
  links.columns,
);
export const revokeInvitation = query(
  'console-links.revoke-invitation',
  `update console_links set withdrawn_at = now() where organization_id = :organizationId and id = :id
     and kind = 'invitation' and used_at is null and withdrawn_at is null`,
  { organizationId: text, id: text },
);
/** Revokes the previous invitation of an email address before a new one is created. */
export const replaceInvitation = query(
  'console-links.replace-invitation',
  `update console_links set withdrawn_at = now() where organization_id = :organizationId
     and lower(email) = lower(:email) and kind = 'invitation' and used_at is null and withdrawn_at is null`,
  { organizationId: text, email: text },
);
/** Revokes the unused links of a user, after they have set a password or were removed, or after a link was leaked. */
export const endOf = query(
  'console-links.end-of',
  `update console_links set withdrawn_at = now()
   where user_id = :userId and used_at is null and withdrawn_at is null`,
  { userId: text },
);
export const prune = query(
  'console-links.prune',
  `delete from console_links where expires_at < now() - interval '30 days'`,
  {},
);

/** The current roles of the creator and the recipient of a link, for `refusalFor`. */
export const currentRoles = query(
  'console-links.current-roles',
  `select
     (select role from organization_members where organization_id = :organizationId and user_id = :makerId) as "makerRole",
     (select role from organization_members where organization_id = :organizationId and user_id = :userId) as "memberRole",
     exists (select from users where id = :makerId and operator) as "makerOperator",
     exists (select from users where id = :userId and operator) as "memberOperator",
     exists (select from organization_members t left join organization_members m
         on m.organization_id = t.organization_id and m.user_id = :makerId
       where t.user_id = :userId and (m.role is null or m.role = 'member' or (t.role = 'owner' and m.role <> 'owner')))
       as "elsewhere"`,
  { organizationId: orNull(text), makerId: text, userId: orNull(text) },
  {
    makerRole: orNull(oneOf<OrganizationRole>()),
    memberRole: orNull(oneOf<OrganizationRole>()),
    makerOperator: flag,
    memberOperator: flag,
    /** The user belongs to another organization, in a role that the creator of the link may not manage there. */
    elsewhere: flag,
  },
);
