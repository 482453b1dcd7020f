import {
  bigint,
  flag,
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
import { isWhole } from './eval-runs.ts';

export type ScheduleState = 'active' | 'paused_quota' | 'paused_auth' | 'paused_failures';

/** Columns set by the author. */
const authored = {
  name: text,
  description: orNull(text),
  serverIds: texts,
  execution: orNull(json<unknown>()),
  hosts: json<unknown>(),
  environmentIds: texts,
  settings: json<unknown>(),
  provenance: orNull(json<unknown>()),
};
const schedule = {
  scheduleEnabled: flag,
  scheduleMinutes: orNull(integer),
  scheduleEnvironmentId: orNull(text),
  scheduleState: orNull(oneOf<ScheduleState>()),
  scheduleBy: orNull(text),
  scheduleDueAt: orNull(time),
  scheduleFailures: integer,
};

const suites = table('eval_suites', {
  id: text,
  projectId: text,
  declaredId: orNull(text),
  managedBy: oneOf<'app' | 'ci'>(),
  sourceHash: orNull(text),
  ...authored,
  ...schedule,
  revision: integer,
  createdBy: text,
  createdAt: time,
  updatedAt: time,
});
export type SuiteRow = RowOf<typeof suites.columns>;
export type SuiteFields = { -readonly [Field in keyof typeof authored]: SuiteRow[Field] };

/** For queries that alias the suites table as `s`. */
const scheduleColumns = (Object.keys(schedule) as (keyof typeof schedule)[])
  .map((field) => `${suites.from('s')[field]} as "${field}"`)
  .join(', ');

const which = suites.pick(['projectId', 'id']);

const listed = {
  id: text,
  name: text,
  createdAt: time,
  updatedAt: time,
  runs: integer,
  passedTotal: integer,
  failedTotal: integer,
  ...schedule,
  /** Counted per suite, which has at most a thousand cases. */
  cases: integer,
  latestId: orNull(text),
  latestStatus: orNull(text),
  latestResult: orNull(text),
  latestPassed: orNull(integer),
  latestFailed: orNull(integer),
  latestCreatedAt: orNull(time),
  latestWarnings: orNull(json<{ code: string; message: string }[]>()),
  /** Latest first. */
  trend: json<number[]>(),
};
export type ListedSuite = RowOf<typeof listed>;

/**
 * The latest whole run of each suite, and the pass rates of its last ten completed ones. Costs a few index lookups per
 * suite.
 */
export const list = query(
  'eval-suites.list',
  `select s.id, s.name, s.created_at as "createdAt", s.updated_at as "updatedAt", s.run_count as runs,
     s.passed_total as "passedTotal", s.failed_total as "failedTotal", l.id as "latestId", l.status as "latestStatus",
     l.result as "latestResult", l.passed as "latestPassed", l.failed as "latestFailed",
     l.created_at as "latestCreatedAt", l.warnings as "latestWarnings", ${scheduleColumns},
     (select count(*)::int from eval_cases c where c.suite_id = s.id) as cases,
     coalesce((select jsonb_agg(t.rate) from (
       select r.passed::float8 / greatest(r.passed + r.failed, 1) as rate from eval_runs r
       where r.suite_id = s.id and r.status = 'completed' and ${isWhole('r')}
       order by r.id desc limit 10) t), '[]') as trend
   from eval_suites s left join lateral (
     select r.id, r.status, r.result, r.passed, r.failed, r.created_at, r.warnings from eval_runs r
     where r.suite_id = s.id and ${isWhole('r')} order by r.id desc limit 1) l on true
   where s.project_id = :projectId and s.deleted_at is null and s.id > :after order by s.id limit :most`,
  { projectId: text, after: text, most: bigint },
  listed,
  { index: 'eval_suites_live' },
);
export const find = query(
  'eval-suites.find',
  `select ${suites.all()} from eval_suites where project_id = :projectId and id = :id and deleted_at is null`,
  which,
  suites.columns,
);
/** Serializes writes to a suite and launches of it. */
export const lock = query(
  'eval-suites.lock',
  `select ${suites.all()} from eval_suites where project_id = :projectId and id = :id and deleted_at is null
   for no key update`,
  which,
  suites.columns,
);
/** Locks the suite that is managed by the file with this ID. */
export const lockByDeclaredId = query(
  'eval-suites.lock-by-declared-id',
  `select ${suites.all()} from eval_suites
   where project_id = :projectId and declared_id = :declaredId and deleted_at is null for no key update`,
  { projectId: text, declaredId: text },
  suites.columns,
);
/** Creates no revision: the file may have changed without changing the suite. */
export const setSourceHash = query(
  'eval-suites.set-source-hash',
  'update eval_suites set source_hash = :sourceHash where project_id = :projectId and id = :id',
  { ...which, sourceHash: text },
);
/** Serializes lookups by name, so that two concurrent reports create one suite. */
export const lockNames = query(
  'eval-suites.line-up-by-name',
  `select from pg_advisory_xact_lock(hashtextextended('eval-suite-names ' || :projectId, 4700))`,
  { projectId: text },
);
/** Prefers a suite created by CI reports to another of the same name, then the oldest. */
export const lockByName = query(
  'eval-suites.lock-by-name',
  `select ${suites.all()} from eval_suites where project_id = :projectId and name = :name and deleted_at is null
   order by managed_by = 'ci' and declared_id is null desc, id limit 1 for no key update`,
  { projectId: text, name: text },
  suites.columns,
);
export const count = query(
  'eval-suites.count',
  'select count(*)::int as count from eval_suites where project_id = :projectId and deleted_at is null',
  { projectId: text },
  { count: integer },
);

const made = [
  'managedBy',
  'declaredId',
  'sourceHash',
  'id',
  'projectId',
  ...(Object.keys(authored) as (keyof typeof authored)[]),
  'createdBy',
] as const;
export const insert = query(
  'eval-suites.insert',
  `${suites.insert(made)} returning ${suites.all()}`,
  suites.pick(made),
  suites.columns,
);
const edited = Object.keys(authored) as (keyof typeof authored)[];
/** Writes the authored fields and increments the revision. */
export const update = query(
  'eval-suites.update',
  `update eval_suites set ${suites.set(edited)}, revision = revision + 1, updated_at = now()
   where project_id = :projectId and id = :id returning ${suites.all()}`,
  { ...which, ...suites.pick(edited) },
  suites.columns,
);
const scheduled = Object.keys(schedule) as (keyof typeof schedule)[];
export const setSchedule = query(
  'eval-suites.set-schedule',
  `update eval_suites set ${suites.set(scheduled)}, updated_at = now()
   where project_id = :projectId and id = :id returning ${suites.all()}`,
  { ...which, ...suites.pick(scheduled) },
  suites.columns,
);
/** Hides the suite. Its contents are removed later. */
export const markDeleted = query(
  'eval-suites.mark-deleted',
  `update eval_suites set deleted_at = now(), schedule_due_at = null
   where project_id = :projectId and id = :id and deleted_at is null`,
  which,
);
/** Adds a decided run to the totals of the suite. */
export const addToTotals = query(
  'eval-suites.add-to-totals',
  `update eval_suites set passed_total = passed_total + :passed, failed_total = failed_total + :failed
   where id = :id`,
  { id: text, passed: integer, failed: integer },
);
/** The number of the next run. */
export const nextRun = query(
  'eval-suites.next-run',
  'update eval_suites set run_count = run_count + 1 where id = :id returning run_count as "number"',
  { id: text },
  { number: integer },
);

const due = {
  id: text,
  projectId: text,
  organizationId: text,
  scheduleBy: orNull(text),
  scheduleDueAt: orNull(time),
  scheduleEnvironmentId: orNull(text),
};
const placesWithSchedules = `with recursive places as (
     (select e.project_id from eval_suites e where e.schedule_due_at is not null and e.deleted_at is null
      order by e.project_id limit 1)
     union all
     select (select e.project_id from eval_suites e where e.schedule_due_at is not null and e.deleted_at is null
       and e.project_id > t.project_id order by e.project_id limit 1)
     from places t where t.project_id is not null)`;
/** Cheap pre-check for `fire`: whether any schedule is due. Does not check whether the project was deleted. */
export const anyDue = query(
  'eval-suites.any-due',
  `${placesWithSchedules}
   select exists (select from places t cross join lateral (
     select from eval_suites e
     where e.project_id = t.project_id and e.schedule_due_at <= now() and e.deleted_at is null
     order by e.schedule_due_at limit 1) n) as there`,
  {},
  { there: flag },
);
/**
 * Returns due suites, each once: the same statement sets the next time to the first one in the future, so that a
 * service that was down does not catch up on all missed runs. Takes the first suite of each organization, then the
 * second of each; the steps from project to project cost the same however many are due.
 */
export const fire = query(
  'eval-suites.fire',
  `${placesWithSchedules},
   ranked as (
     select n.id, n.schedule_due_at, row_number() over (
       partition by p.organization_id order by n.schedule_due_at) as nth
     from places t join projects p on p.id = t.project_id and p.deleted_at is null cross join lateral (
       select e.id, e.schedule_due_at from eval_suites e
       where e.project_id = t.project_id and e.schedule_due_at <= now() and e.deleted_at is null
       order by e.schedule_due_at limit 100) n),
   due as (
     select id, schedule_due_at as was, schedule_minutes * interval '1 minute' as step from eval_suites
     where id in (select id from ranked order by nth, schedule_due_at limit 100)
       and schedule_due_at <= now() and deleted_at is null
     for no key update skip locked)
   update eval_suites s set schedule_due_at =
     d.was + d.step * (floor(extract(epoch from now() - d.was) / extract(epoch from d.step)) + 1)
   from due d, projects p where s.id = d.id and p.id = s.project_id and p.deleted_at is null
   returning s.id, s.project_id as "projectId", p.organization_id as "organizationId",
     s.schedule_by as "scheduleBy", d.was as "scheduleDueAt",
     s.schedule_environment_id as "scheduleEnvironmentId"`,
  {},
  due,
);
/** Records the result of a scheduled launch: the number of consecutive failures, and whether the schedule pauses. */
export const noteLaunch = query(
  'eval-suites.note-launch',
  `update eval_suites set schedule_failures = :failures, schedule_state = :state,
     schedule_due_at = case when :state = 'active' then schedule_due_at end
   where id = :id and schedule_enabled and deleted_at is null`,
  { id: text, failures: integer, state: oneOf<ScheduleState>() },
);

const revisions = table(
  'eval_suite_revisions',
  {
    id: text,
    number: integer,
    source: text,
    createdBy: orNull(text),
    note: orNull(text),
    changedFields: texts,
    groupId: orNull(text),
    createdAt: time,
  },
  { suiteId: text },
);
const revised = [
  'id',
  'suiteId',
  'number',
  'source',
  'createdBy',
  'note',
  'changedFields',
  'groupId',
] as const;
export const insertRevision = query(
  'eval-suites.insert-revision',
  revisions.insert(revised),
  revisions.pick(revised),
);
/** Maximum number of runs of one revision that are counted. */
export const maxPinned = 1000;
const revision = { ...revisions.columns, createdByName: orNull(text), pinnedRuns: integer };
export type RevisionRow = RowOf<typeof revision>;
export const listRevisions = query(
  'eval-suites.list-revisions',
  `select ${revisions.all('v')}, u.name as "createdByName",
     (select count(*)::int from (
       select from eval_runs r where r.suite_id = v.suite_id and r.suite_revision = v.number limit ${maxPinned}) c
     ) as "pinnedRuns"
   from eval_suite_revisions v left join users u on u.id = v.created_by
   where v.suite_id = :suiteId and v.number < :before order by v.number desc limit :most`,
  { suiteId: text, before: integer, most: bigint },
  revision,
  { index: 'eval_suite_revisions_number' },
);
