import { bigint, bytes, flag, float, integer, orNull, text, time } from '../columns.ts';
import { query } from '../query.ts';

/** Properties of the database server. Reserved connections are unavailable to us. */
export const server = query(
  'doctor.server',
  `select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
     pg_is_in_recovery() as standby, pg_backend_pid() as pid, clock_timestamp()::timestamptz(3) as now,
     current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as room,
     (select coalesce(sum(numbackends), 0)::int from pg_stat_database) as used`,
  {},
  { version: text, number: integer, standby: flag, pid: integer, now: time, room: integer, used: integer },
);
/**
 * `wanted` is empty if commits wait for no standby. `lag` is the longest of any standby in seconds. `hidden` counts
 * standbys whose state our user may not see.
 */
export const standbys = query(
  'doctor.standbys',
  `select current_setting('synchronous_standby_names') as wanted, count(r.pid) as connected,
     count(r.pid) filter (where r.sync_state in ('sync', 'quorum')) as synchronous,
     count(r.pid) filter (where r.sync_state is null) as hidden,
     coalesce(max(extract(epoch from r.replay_lag)), 0)::float8 as lag
   from pg_stat_replication r`,
  {},
  { wanted: text, connected: bigint, synchronous: bigint, hidden: bigint, lag: float },
);
/** Each registered key, with one value encrypted under it. */
export const sealedUnderEach = query(
  'doctor.sealed-under-each',
  `select k.id as "keyId", v.id, v.ciphertext from vault_keys k
   left join lateral (select id, ciphertext from sealed_values where key_id = k.id limit 1) v on true order by k.id`,
  {},
  { keyId: text, id: orNull(text), ciphertext: orNull(bytes) },
);
