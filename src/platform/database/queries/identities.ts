import { text, time } from '../columns.ts';
import { query } from '../query.ts';

const identity = { id: text, issuer: text, subject: text };

export const find = query(
  'identities.find',
  'select user_id as "userId" from identities where issuer = :issuer and subject = :subject',
  { issuer: text, subject: text },
  { userId: text },
);
export const list = query(
  'identities.list',
  'select id, issuer, created_at as "linkedAt" from identities where user_id = :userId order by created_at, id',
  { userId: text },
  { id: text, issuer: text, linkedAt: time },
);
/** Returns no row if the identity already belongs to a user. */
export const insert = query(
  'identities.insert',
  `insert into identities (id, issuer, subject, user_id) values (:id, :issuer, :subject, :userId) on conflict do nothing`,
  { ...identity, userId: text },
);
export const remove = query(
  'identities.remove',
  'delete from identities where id = :id and user_id = :userId returning id, issuer, subject',
  { id: text, userId: text },
  identity,
);
