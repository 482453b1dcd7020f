import { bigint, bytes, oneOf, orNull, type RowOf, table, text, time } from '../columns.ts';
import { query } from '../query.ts';
import type { OrganizationRole } from './members.ts';

const links = table(
  'console_links',
  {
    id: text,
    kind: oneOf<'sign-in' | 'invitation' | 'reset'>(),
    userId: orNull(text),
    email: orNull(text),
    organizationId: orNull(text),
    role: orNull(oneOf<OrganizationRole>()),
    madeBy: orNull(text),
    createdAt: time,
    expiresAt: time,
    usedAt: orNull(time),
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
/** With the organization's name, and whose account has the address now. */
export const find = query(
  'console-links.find',
  `select ${links.all('l')}, o.name as "organizationName", coalesce(u.email, l.email) as address,
     a.id as "accountId"
   from console_links l left join organizations o on o.id = l.organization_id
     left join users u on u.id = l.user_id left join users a on lower(a.email) = lower(l.email)
   where l.hash = :hash`,
  { hash: bytes },
  { ...links.columns, organizationName: orNull(text), address: orNull(text), accountId: orNull(text) },
);
/** Of two who use it at the same time one is first. */
export const use = query(
  'console-links.use',
  'update console_links set used_at = now() where id = :id and used_at is null and expires_at > now()',
  { id: text },
);

const invitation = {
  ...links.pick(['id', 'createdAt', 'expiresAt', 'madeBy']),
  email: text,
  role: oneOf<OrganizationRole>(),
  inviterEmail: orNull(text),
  inviterName: orNull(text),
};
export type InvitationRow = RowOf<typeof invitation>;
/** Those that can still be used. An invitation has an address and a role; the server does not know. */
export const invitations = query(
  'console-links.invitations',
  `select l.id, l.created_at as "createdAt", l.expires_at as "expiresAt", l.made_by as "madeBy",
     coalesce(l.email, '') as email, coalesce(l.role, 'member') as role, u.email as "inviterEmail", u.name as "inviterName"
   from console_links l left join users u on u.id = l.made_by
   where l.organization_id = :organizationId and l.kind = 'invitation' and l.used_at is null and l.expires_at > now()
     and l.id > :after order by l.id limit :most`,
  { organizationId: text, after: text, most: bigint },
  invitation,
  { index: 'console_links_organization' },
);
/** Those of an address that can still be used, to any organization. */
export const invitationsFor = query(
  'console-links.invitations-for',
  `select ${links.all()} from console_links
   where kind = 'invitation' and lower(email) = lower(:email) and used_at is null and expires_at > now() order by id`,
  { email: text },
  links.columns,
);
export const revokeInvitation = query(
  'console-links.revoke-invitation',
  `delete from console_links where organization_id = :organizationId and id = :id and kind = 'invitation' and used_at is null`,
  { organizationId: text, id: text },
);
/** Before another one is made. */
export const replaceInvitation = query(
  'console-links.replace-invitation',
  `delete from console_links where organization_id = :organizationId and lower(email) = lower(:email) and used_at is null`,
  { organizationId: text, email: text },
);
/** Whoever has a new password, or is gone, has no use for the others; neither has whoever found one. */
export const endOf = query(
  'console-links.end-of',
  'delete from console_links where user_id = :userId and used_at is null',
  { userId: text },
);
export const prune = query(
  'console-links.prune',
  `delete from console_links where expires_at < now() - interval '30 days'`,
  {},
);
