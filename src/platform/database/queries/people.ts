import { flag, oneOf, orNull, text, time } from '../columns.ts';
import { query } from '../query.ts';
import type { OrganizationRole } from './visibility.ts';

/** The columns of an account that its owner may read. */
export const find = query(
  'people.find',
  `select u.id, u.email, u.name, u.image_url as "imageUrl", u.operator,
     exists (select from passwords p where p.user_id = u.id) as "hasPassword"
   from users u where u.id = :userId`,
  { userId: text },
  { id: text, email: text, name: text, imageUrl: orNull(text), operator: flag, hasPassword: flag },
);
/** Locks an account until the transaction ends, so that no other session starts and no password changes. */
export const hold = query(
  'people.hold',
  'select id, email, name from users where id = :userId for no key update',
  { userId: text },
  { id: text, email: text, name: text },
);
/** Organizations of a user, oldest first. */
export const organizations = query(
  'people.organizations',
  `select o.id, o.name, o.logo_url as "logoUrl", o.plan, m.role, o.created_at as "createdAt"
   from organization_members m join organizations o on o.id = m.organization_id
   where m.user_id = :userId order by o.id`,
  { userId: text },
  {
    id: text,
    name: text,
    logoUrl: orNull(text),
    plan: text,
    role: oneOf<OrganizationRole>(),
    createdAt: time,
  },
);
/** A null name or email address keeps the current one. */
export const update = query(
  'people.update',
  `update users set name = coalesce(:name, name), email = coalesce(:email, email), updated_at = now()
   where id = :userId`,
  { userId: text, name: orNull(text), email: orNull(text) },
);
