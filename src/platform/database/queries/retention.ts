import { bigint, integer, oneOf, orNull, type RowOf, table, text, time } from '../columns.ts';
import type { Part } from '../partitions.ts';
import { command, query } from '../query.ts';
import { isOpen } from './eval-runs.ts';
import { batchByCtid, removalSteps, runContents } from './removal.ts';

/** Data with a configurable retention. */
export const retentionKinds = ['audit', 'traces', 'runs', 'usage'] as const;
export type RetentionKind = (typeof retentionKinds)[number];

const limits = table('retention', {
  organizationId: text,
  kind: oneOf<RetentionKind>(),
  days: integer,
  /** Data from before this time has been deleted. */
  doneUntil: orNull(time),
});
export type RetentionRow = RowOf<typeof limits.columns>;

export const list = query(
  'retention.list',
  `select ${limits.all()} from retention
   where :organizationId::text is null or organization_id = :organizationId order by organization_id, kind`,
  { organizationId: orNull(text) },
  limits.columns,
);
/**
 * Keeps the time up to which data has been deleted. After a shorter retention the next run continues from there; after
 * a longer one deleted data does not return.
 */
export const set = query(
  'retention.set',
  `insert into retention (organization_id, kind, days) values (:organizationId, :kind, :days)
   on conflict (organization_id, kind) do update set days = excluded.days`,
  limits.pick(['organizationId', 'kind', 'days']),
);
export const clear = query(
  'retention.clear',
  'delete from retention where organization_id = :organizationId and kind = :kind',
  limits.pick(['organizationId', 'kind']),
);
export const done = query(
  'retention.done',
  'update retention set done_until = :doneUntil where organization_id = :organizationId and kind = :kind',
  limits.pick(['organizationId', 'kind', 'doneUntil']),
);
/** The longest retention of any organization in days, or null if an organization keeps data forever. */
export const longest = query(
  'retention.longest',
  `select case when count(r.kind) = count(*) then max(r.days) end as days
   from organizations o left join retention r on r.organization_id = o.id and r.kind = :kind`,
  { kind: oneOf<RetentionKind>() },
  { days: orNull(integer) },
);

const before = { organizationId: text, before: text, most: bigint };
const ofOrganization = (name: string): string =>
  `${name} t where t.organization_id = :organizationId and t.id < :before`;
export const removeAudit = query(
  'retention.remove-audit',
  batchByCtid('audit_events', ofOrganization('audit_events'), 'delete from audit_events d'),
  before,
);
export const removeModelCalls = query(
  'retention.remove-model-calls',
  batchByCtid('model_calls', ofOrganization('model_calls'), 'delete from model_calls d'),
  before,
);
export const removeLedger = query(
  'retention.remove-ledger',
  batchByCtid(
    'ledger_entries',
    'ledger_entries t where t.organization_id = :organizationId and t.period < :before',
    'delete from ledger_entries d',
  ),
  before,
);

/** Ended runs that were created between two times, oldest first. */
const overBetween = (runs: string, isOver: string): string =>
  `select r.id from projects p join ${runs} r on r.project_id = p.id and r.id > :after and r.id < :before
   where p.organization_id = :organizationId and ${isOver} order by r.id fetch first :most rows only`;
const between = { ...before, after: text };
export const oldRuns = query('retention.old-runs', overBetween('eval_runs', `not r.${isOpen}`), between, {
  id: text,
});
/** Old runs, except those with a judgement in progress, whose cost is not booked yet. */
export const oldSettledRuns = query(
  'retention.old-settled-runs',
  overBetween(
    'eval_runs',
    `not r.${isOpen} and not exists (select from eval_run_judgements j
       where j.run_id = r.id and j.organization_id = r.organization_id and j.status = 'pending')`,
  ),
  between,
  { id: text },
);
export const oldJourneyRuns = query(
  'retention.old-journey-runs',
  overBetween('journey_runs', "r.status <> 'running'"),
  between,
  { id: text },
);
/** The oldest open run of one organization or of all; null without an open run. */
export const oldestOpen = query(
  'retention.oldest-open',
  `select min(id) as id from eval_runs
   where (:organizationId::text is null or organization_id = :organizationId) and ${isOpen}`,
  { organizationId: orNull(text) },
  { id: orNull(text) },
);

const ofRun = 'r.id = :id';
const tracesOf =
  'eval_runs r join eval_results s on s.run_id = r.id join eval_traces c on c.trial_id = s.trial_id';
const blobsOfRun = { table: 'blobs', from: `${tracesOf} join blobs t on t.id = c.blob_id where ${ofRun}` };
/** Steps that delete the traces and events of a run. */
export const traceSteps = removalSteps(
  'retention-traces',
  [
    blobsOfRun,
    {
      table: 'eval_traces',
      from: `${tracesOf} join eval_traces t on t.trial_id = c.trial_id where ${ofRun}`,
    },
    { table: 'eval_run_events', from: `eval_run_events t where t.run_id = :id` },
  ],
  'run_id',
);
/** Steps that delete a run with all its data. */
export const runSteps = removalSteps(
  'retention-runs',
  [blobsOfRun, ...runContents(ofRun), { table: 'eval_runs', from: `eval_runs t where t.id = :id` }],
  'run_id',
);
export const journeyRunSteps = removalSteps(
  'retention-journey-runs',
  [
    {
      table: 'journey_turns',
      from: 'journey_sessions s join journey_turns t on t.session_id = s.id where s.run_id = :id',
    },
    { table: 'journey_sessions' },
    { table: 'journey_run_tools' },
    { table: 'journey_run_snapshots' },
    { table: 'journey_runs', from: `journey_runs t where t.id = :id` },
  ],
  'run_id',
);

/** Deletes at most `most` rows of the blobs that traces in a partition are stored in. */
export function removeBlobsOf({ name }: Part, most: number) {
  return command(`delete from blobs d where d.ctid = any(array(
    select t.ctid from ${name} c join blobs t on t.id = c.blob_id limit ${most}))`);
}
