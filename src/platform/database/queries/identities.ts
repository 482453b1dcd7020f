import { text, time } from '../columns.ts';
import { query } from '../query.ts';

export const find = query(
  'identities.find',
  'select user_id as "userId" from identities where issuer = :issuer and subject = :subject',
  { issuer: text, subject: text },
  { userId: text },
);
export const list = query(
  'identities.list',
  'select issuer, created_at as "linkedAt" from identities where user_id = :userId order by created_at',
  { userId: text },
  { issuer: text, linkedAt: time },
);
/** Nothing when it is somebody's already. */
export const insert = query(
  'identities.insert',
  `insert into identities (issuer, subject, user_id) values (:issuer, :subject, :userId) on conflict do nothing`,
  { issuer: text, subject: text, userId: text },
);
