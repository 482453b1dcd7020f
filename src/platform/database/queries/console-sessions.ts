import { bigint, bytes, listOf, oneOf, orNull, type RowOf, table, text, texts, time } from '../columns.ts';
import { query } from '../query.ts';

/** Sign-in sessions of the console. */
const sessions = table(
  'console_sessions',
  {
    id: text,
    userId: text,
    organizationId: orNull(text),
    way: oneOf<'password' | 'link' | 'oidc'>(),
    address: text,
    userAgent: orNull(text),
    createdAt: time,
    lastSeenAt: time,
  },
  { hash: bytes },
);
export type SessionRow = RowOf<typeof sessions.columns>;

/** Days after which a session expires, without use and in total. */
export const idleDays = 30;
export const maxDays = 90;
/** SQL condition: the session `s` has not expired. */
export const isActive = (s: string): string =>
  `${s}.last_seen_at > now() - interval '${idleDays} days' and ${s}.created_at > now() - interval '${maxDays} days'`;

const written = ['id', 'hash', 'userId', 'organizationId', 'way', 'address', 'userAgent'] as const;
export const insert = query('console-sessions.insert', sessions.insert(written), sessions.pick(written));
/** Sessions of a user, newest first. */
export const list = query(
  'console-sessions.list',
  `select ${sessions.all('s')} from console_sessions s where s.user_id = :userId and ${isActive('s')} order by s.id desc`,
  { userId: text },
  sessions.columns,
);
export const began = query(
  'console-sessions.began',
  'select created_at as at from console_sessions where id = :id',
  { id: text },
  { at: time },
);
export const end = query(
  'console-sessions.end',
  'delete from console_sessions where id = :id and user_id = :userId',
  { id: text, userId: text },
);
/** Ends all sessions of a user, or all but one. */
export const endOthers = query(
  'console-sessions.end-others',
  'delete from console_sessions where user_id = :userId and id is distinct from :id',
  { userId: text, id: orNull(text) },
);
/** Ends all sessions of a user that were started by single sign-on, except one. */
export const endOthersOfProvider = query(
  'console-sessions.end-others-of-provider',
  `delete from console_sessions where user_id = :userId and way = 'oidc' and id <> :id`,
  { userId: text, id: text },
);
/** Ends the least recently used sessions of a user beyond the limit. */
export const endSurplus = query(
  'console-sessions.end-surplus',
  `delete from console_sessions where id = any(array(
     select id from console_sessions where user_id = :userId order by last_seen_at desc offset :most))`,
  { userId: text, most: bigint },
);
/**
 * Records the last use of sessions with address and organization. Ignores sessions that have ended and organizations
 * that were deleted.
 */
export const touch = query(
  'console-sessions.touch',
  `update console_sessions s set last_seen_at = greatest(s.last_seen_at, t.at), address = t.address,
     organization_id = coalesce(o.id, s.organization_id)
   from unnest(:ids::text[], :times::timestamptz[], :addresses::text[], :organizationIds::text[])
       as t (id, at, address, organization_id) left join organizations o on o.id = t.organization_id
   where s.id = t.id`,
  { ids: texts, times: listOf(time), addresses: texts, organizationIds: listOf(orNull(text)) },
);
export const prune = query(
  'console-sessions.prune',
  `delete from console_sessions where last_seen_at < now() - interval '${idleDays} days'
     or created_at < now() - interval '${maxDays} days'`,
  {},
);
