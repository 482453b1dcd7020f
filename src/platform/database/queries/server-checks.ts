import { bigint, flag, float, integer, oneOf, orNull, type RowOf, table, text, time } from '../columns.ts';
import { query } from '../query.ts';

type Health = 'unknown' | 'healthy' | 'unhealthy';

const checks = table('server_checks', {
  serverId: text,
  organizationId: text,
  projectId: text,
  everyMinutes: integer,
  enabled: flag,
  dueAt: time,
  health: oneOf<Health>(),
  healthSince: orNull(time),
  failures: integer,
  checkedAt: orNull(time),
  pausedReason: orNull(text),
  setBy: text,
  updatedAt: time,
});
const named = { ...checks.columns, serverName: text, serverEnabled: flag };
export type ServerChecksRow = RowOf<typeof named>;
const from = 'from server_checks c join servers s on s.id = c.server_id';
const one = { projectId: text, serverId: text };

export const list = query(
  'server-checks.list',
  `select ${checks.all('c')}, s.name as "serverName", s.enabled as "serverEnabled" ${from}
   where c.project_id = :projectId and c.server_id > :after order by c.server_id limit :most`,
  { projectId: text, after: text, most: bigint },
  named,
  { index: 'server_checks_project' },
);
export const find = query(
  'server-checks.find',
  `select ${checks.all('c')}, s.name as "serverName", s.enabled as "serverEnabled" ${from}
   where c.project_id = :projectId and c.server_id = :serverId`,
  one,
  named,
);
/** Counts the other servers of a project with checks enabled, to enforce the limit before enabling this one. */
export const count = query(
  'server-checks.count',
  `select count(*) as count from server_checks
   where project_id = :projectId and server_id <> :serverId and enabled`,
  one,
  { count: bigint },
);
const set = checks.pick(['serverId', 'organizationId', 'projectId', 'everyMinutes', 'enabled', 'setBy']);
/** Stores the schedule. The first check is due immediately. */
export const put = query(
  'server-checks.put',
  `insert into server_checks (server_id, organization_id, project_id, every_minutes, enabled, set_by, due_at)
   values (:serverId, :organizationId, :projectId, :everyMinutes, :enabled, :setBy, now())
   on conflict on constraint server_checks_pkey do update set every_minutes = excluded.every_minutes, enabled = excluded.enabled,
     set_by = excluded.set_by, due_at = now(), paused_reason = null, updated_at = now()`,
  set,
);
export const remove = query(
  'server-checks.remove',
  'delete from server_checks where project_id = :projectId and server_id = :serverId returning server_id as "serverId"',
  one,
  { serverId: text },
);

const due = checks.pick(['serverId', 'organizationId', 'projectId', 'setBy']);
const organizationsWithChecks = `with recursive organizations as (
     (select d.organization_id from server_checks d where d.enabled order by d.organization_id limit 1)
     union all
     select (select d.organization_id from server_checks d where d.enabled and d.organization_id > o.organization_id
       order by d.organization_id limit 1)
     from organizations o where o.organization_id is not null)`;
/**
 * Cheap pre-check for `fire`: whether any check is due. Does not check whether the server is disabled or its project
 * was deleted.
 */
export const anyDue = query(
  'server-checks.any-due',
  `${organizationsWithChecks}
   select exists (select from organizations o cross join lateral (
     select from server_checks d where d.enabled and d.organization_id = o.organization_id and d.due_at <= now()
     order by d.due_at limit 1) n) as there`,
  {},
  { there: flag },
);
/**
 * Returns due checks, each once; a service that was down makes up for one missed check, not for all. Takes the first of
 * each organization, then the second of each; the steps cost the same however many are due.
 */
export const fire = query(
  'server-checks.fire',
  `${organizationsWithChecks},
   chosen as (
     select n.server_id from organizations o cross join lateral (
       select l.server_id, l.due_at, row_number() over (order by l.due_at) as nth from (
         select d.server_id, d.due_at from server_checks d
         where d.enabled and d.organization_id = o.organization_id and d.due_at <= now()
           and (select s.enabled from servers s where s.id = d.server_id)
           and (select p.deleted_at is null from projects p where p.id = d.project_id)
         order by d.due_at limit 500) l) n
     order by n.nth, n.due_at limit 500)
   update server_checks c set due_at = now() + c.every_minutes * interval '1 minute'
   where c.server_id in (
     select d.server_id from server_checks d where d.server_id in (select server_id from chosen)
       and d.enabled and d.due_at <= now() for update skip locked)
   returning c.server_id as "serverId", c.organization_id as "organizationId", c.project_id as "projectId",
     c.set_by as "setBy"`,
  {},
  due,
);
export const lock = query(
  'server-checks.lock',
  `select ${checks.all()} from server_checks where server_id = :serverId and enabled for update`,
  { serverId: text },
  checks.columns,
);
export const note = query(
  'server-checks.note',
  `update server_checks set checked_at = now(), failures = :failures, paused_reason = null,
     health_since = case when health = :health then health_since else now() end, health = :health
   where server_id = :serverId`,
  checks.pick(['serverId', 'failures', 'health']),
);
export const pause = query(
  'server-checks.pause',
  'update server_checks set paused_reason = :pausedReason where server_id = :serverId',
  { serverId: text, pausedReason: text },
);

const results = table('server_check_results', {
  id: text,
  serverId: text,
  projectId: text,
  checkedAt: time,
  ok: flag,
  status: text,
  durationMs: integer,
  failedCheck: orNull(text),
  detail: orNull(text),
});
export type ResultRow = RowOf<typeof results.columns>;
const noted = ['id', 'serverId', 'projectId', 'ok', 'status', 'durationMs', 'failedCheck', 'detail'] as const;
export const addResult = query('server-checks.add-result', results.insert(noted), results.pick(noted));
export const listResults = query(
  'server-checks.list-results',
  `select ${results.all()} from server_check_results
   where server_id = :serverId and (:before::text is null or id < :before) order by id desc limit :most`,
  { serverId: text, before: orNull(text), most: bigint },
  results.columns,
  { index: 'server_check_results_server' },
);
const good = (span: string): string =>
  `avg(case when ok then 1.0::float8 else 0.0::float8 end) filter (where checked_at > now() - interval '${span}')`;
export const uptime = query(
  'server-checks.uptime',
  `select ${good('1 day')} as day, ${good('7 days')} as week, ${good('30 days')} as month,
     avg(duration_ms::float8) filter (where ok and checked_at > now() - interval '1 day') as "averageMs", now() as now
   from server_check_results where server_id = :serverId and checked_at > now() - interval '30 days'`,
  { serverId: text },
  {
    day: orNull(float),
    week: orNull(float),
    month: orNull(float),
    averageMs: orNull(float),
    now: orNull(time),
  },
);
/** Results per slot of `slot` milliseconds since a time. Slots without results are omitted. */
export const uptimeSlots = query(
  'server-checks.uptime-slots',
  `select floor(extract(epoch from checked_at - :since)::float8 * 1000 / :slot) as nth,
     count(*) filter (where ok) as ok, count(*) filter (where not ok) as failed
   from server_check_results where server_id = :serverId and checked_at >= :since group by 1 order by 1`,
  { serverId: text, since: time, slot: float },
  { nth: orNull(float), ok: orNull(bigint), failed: orNull(bigint) },
);
export const prune = query(
  'server-checks.prune',
  `delete from server_check_results where checked_at < now() - interval '90 days'`,
  {},
);
