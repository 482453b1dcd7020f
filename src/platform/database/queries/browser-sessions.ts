import {
  bigint,
  flag,
  float,
  integer,
  json,
  oneOf,
  orNull,
  type RowOf,
  table,
  text,
  texts,
  time,
} from '../columns.ts';
import { query } from '../query.ts';

/** Notification channels: another caller needs a browser that a process holds, and a process has released a browser. */
export const wantedChannel = 'drydock_browser_wanted';
export const freeChannel = 'drydock_browser_free';

const sessions = table('browser_sessions', {
  id: text,
  organizationId: text,
  projectId: text,
  userId: text,
  chatSessionId: orNull(text),
  runKey: orNull(text),
  idempotencyKey: orNull(text),
  policy: json<unknown>(),
  effective: json<unknown>(),
  profile: orNull(text),
  state: oneOf<'active' | 'sleeping' | 'closed'>(),
  closedReason: orNull(text),
  bootId: orNull(text),
  holderId: orNull(text),
  sealedId: orNull(text),
  tabs: json<string[]>(),
  entryCount: integer,
  createdAt: time,
  lastActiveAt: time,
});
export type BrowserRow = RowOf<typeof sessions.columns>;

/** Serializes the opening of browsers for one user. */
export const lockOpening = query(
  'browser-sessions.lock-opening',
  `select from pg_advisory_xact_lock(hashtextextended('browsers ' || :userId, 4700))`,
  { userId: text },
);

const made = [
  'id',
  'organizationId',
  'projectId',
  'userId',
  'chatSessionId',
  'runKey',
  'idempotencyKey',
  'policy',
  'effective',
  'profile',
  'state',
] as const;
export const insert = query(
  'browser-sessions.insert',
  `${sessions.insert(made)} returning ${sessions.all()}`,
  sessions.pick(made),
  sessions.columns,
);

const inLiveProject = 'join projects p on p.id = b.project_id and p.deleted_at is null';
const own = { organizationId: text, userId: text };
const ofOwner = 'b.organization_id = :organizationId and b.user_id = :userId';

/** Finds a session of the user. */
export const find = query(
  'browser-sessions.find',
  `select ${sessions.all('b')} from browser_sessions b ${inLiveProject} where b.id = :id and ${ofOwner}`,
  { id: text, ...own },
  sessions.columns,
);
export const findByRunKey = query(
  'browser-sessions.find-by-run-key',
  `select ${sessions.all('b')} from browser_sessions b
   where b.project_id = :projectId and b.user_id = :userId and b.run_key = :runKey`,
  { projectId: text, userId: text, runKey: text },
  sessions.columns,
);
export const findByKey = query(
  'browser-sessions.find-by-key',
  `select ${sessions.all('b')} from browser_sessions b where ${ofOwner} and b.idempotency_key = :idempotencyKey`,
  { ...own, idempotencyKey: text },
  sessions.columns,
);
export const findByProfile = query(
  'browser-sessions.find-by-profile',
  `select ${sessions.all('b')} from browser_sessions b
   where b.project_id = :projectId and b.user_id = :userId and b.profile = :profile and b.state <> 'closed'`,
  { projectId: text, userId: text, profile: text },
  sessions.columns,
);
/** The latest browser session of a chat session, closed or not. */
export const findOfChat = query(
  'browser-sessions.find-of-chat',
  `select ${sessions.all('b')} from browser_sessions b where b.chat_session_id = :chatSessionId
   order by b.id desc limit 1`,
  { chatSessionId: text },
  sessions.columns,
);
/** Sessions opened over the API rather than by a chat, newest first. */
export const listOwn = query(
  'browser-sessions.list-own',
  `select ${sessions.all('b')} from browser_sessions b
   where b.project_id = :projectId and b.user_id = :userId and b.chat_session_id is null
   order by b.id desc limit :most`,
  { projectId: text, userId: text, most: bigint },
  sessions.columns,
  { index: 'browser_sessions_own' },
);
export const remove = query('browser-sessions.remove', 'delete from browser_sessions where id = :id', {
  id: text,
});

export const lock = query(
  'browser-sessions.lock',
  `select ${sessions.all('b')} from browser_sessions b ${inLiveProject} where b.id = :id for no key update of b`,
  { id: text },
  sessions.columns,
);

/** Renews the lease of a process on its browsers. */
export const heartbeat = query(
  'browser-sessions.heartbeat',
  `insert into browser_holders (id, lease_until) values (:id, now() + :lease * interval '1 ms')
   on conflict (id) do update set lease_until = excluded.lease_until`,
  { id: text, lease: float },
);
export const leave = query('browser-sessions.leave', 'delete from browser_holders where id = :id', {
  id: text,
});
export const forgetHolders = query('browser-sessions.forget-holders', 'delete from browser_holders', {});
export const pruneHolders = query(
  'browser-sessions.prune-holders',
  `delete from browser_holders h where h.lease_until < now() - interval '1 hour'`,
  {},
);
/**
 * Deletes sessions of programs that were closed long ago, with their entries and pictures. Sessions of chats are
 * deleted with the chat.
 */
export const pruneClosed = query(
  'browser-sessions.prune-closed',
  `delete from browser_sessions where id in (
     select id from browser_sessions where state = 'closed' and chat_session_id is null
       and last_active_at < now() - interval '30 days' limit 500)`,
  {},
);
/** Closes sessions of a user whose process has died. The result of a command that was running is unknown. */
export const closeLost = query(
  'browser-sessions.close-lost',
  `with lost as (
     update browser_sessions b set state = 'closed', holder_id = null, sealed_id = null, tabs = '[]',
       closed_reason = :reason
     where b.user_id = :userId and b.state = 'active'
       and not exists (select from browser_holders h where h.id = b.holder_id and h.lease_until >= now())
     returning b.id)
   update browser_entries e set state = 'unknown' from lost where e.session_id = lost.id and e.state = 'pending'`,
  { userId: text, reason: text },
);
/** Active sessions of a user, least recently used first. */
export const awake = query(
  'browser-sessions.awake',
  `select b.id, exists (
     select from browser_entries e where e.session_id = b.id and e.state = 'pending') as busy
   from browser_sessions b ${inLiveProject}
   where b.user_id = :userId and b.state = 'active' order by b.last_active_at, b.id`,
  { userId: text },
  { id: text, busy: flag },
);
export const activate = query(
  'browser-sessions.activate',
  `update browser_sessions set state = 'active', holder_id = :holderId, boot_id = :bootId, last_active_at = now()
   where id = :id returning ${sessions.all()}`,
  { id: text, holderId: text, bootId: text },
  sessions.columns,
);
const held = `id = :id and state = 'active' and holder_id = :holderId`;
/** Resets a session whose browser did not start. */
export const deactivate = query(
  'browser-sessions.deactivate',
  `update browser_sessions set state = 'sleeping', holder_id = null where ${held}`,
  { id: text, holderId: text },
);
export const touch = query(
  'browser-sessions.touch',
  `update browser_sessions set last_active_at = now() where id = :id and state = 'active'`,
  { id: text },
);
/** Releases the browser. Only the process that holds it can do so. */
export const sleep = query(
  'browser-sessions.sleep',
  `with slept as (
     update browser_sessions set state = 'sleeping', holder_id = null, sealed_id = :sealedId, tabs = :tabs
     where ${held} returning id)
   select slept.id, pg_notify('${freeChannel}', slept.id)::text as told from slept`,
  { id: text, holderId: text, sealedId: orNull(text), tabs: json<string[]>() },
  { id: text, told: orNull(text) },
);
/** Replaces the policy. Granted permissions stay. */
export const bound = query(
  'browser-sessions.bound',
  'update browser_sessions set effective = :effective where id = :id',
  { id: text, effective: json<unknown>() },
);
/** Closes a session, whichever process holds it. A running command ends without a known result. */
export const close = query(
  'browser-sessions.close',
  `with closed as (
     update browser_sessions set state = 'closed', holder_id = null, sealed_id = null, tabs = '[]', closed_reason = :reason
     where id = :id and state <> 'closed' returning id),
   unsure as (
     update browser_entries e set state = 'unknown' from closed where e.session_id = closed.id and e.state = 'pending')
   select closed.id, pg_notify('${freeChannel}', closed.id)::text as told from closed`,
  { id: text, reason: text },
  { id: text, told: orNull(text) },
);
/** Narrows the IDs to the active sessions that this process still holds. */
export const stillHeld = query(
  'browser-sessions.still-held',
  `select b.id from browser_sessions b ${inLiveProject}
   where b.id = any(:ids) and b.state = 'active' and b.holder_id = :holderId`,
  { ids: texts, holderId: text },
  { id: text },
);
export const ask = query('browser-sessions.ask', `select from pg_notify('${wantedChannel}', :id)`, {
  id: text,
});

const profiles = table('browser_profiles', { projectId: text, userId: text, name: text, sealedId: text });
export const findProfile = query(
  'browser-sessions.find-profile',
  `select ${profiles.all()} from browser_profiles
   where project_id = :projectId and user_id = :userId and name = :name for update`,
  { projectId: text, userId: text, name: text },
  profiles.columns,
);
export const saveProfile = query(
  'browser-sessions.save-profile',
  `${profiles.insert()} on conflict on constraint browser_profiles_pkey
   do update set sealed_id = excluded.sealed_id, updated_at = now()`,
  profiles.columns,
);
