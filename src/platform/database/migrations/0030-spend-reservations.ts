/**
 * Reserves the maximum cost of model calls in progress. A row exists from before the call until its cost is booked; an
 * expired row belongs to a dead process. From this version on, each call is booked when it ends and not with its run:
 * the costs of runs and judgements in progress are booked here.
 */
export const spendReservations = {
  name: '0030-spend-reservations',
  sql: `
create table spend_reservations (
  organization_id text collate "C" not null references organizations (id) on delete cascade,
  -- That of the call.
  id text collate "C" not null,
  -- Of the account that pays: the month.
  period text not null,
  -- Where a guest of a study makes the call: the study, and the day of its cap.
  study_id text collate "C",
  day text,
  micros bigint not null,
  -- What its input alone costs, about: known to be spent should nothing more be heard of it.
  input_micros bigint not null,
  reason text not null,
  actor text not null,
  expires_at timestamptz(3) not null,
  primary key (organization_id, id)
);
create index spend_reservations_expiry on spend_reservations (expires_at);

with spent as (
  select organization_id, 'eval-run ' || id as reason, started_by as actor, billed_micros as micros
  from eval_runs where status in ('pending', 'running', 'grading') and billed_micros > 0
  union all
  select r.organization_id, 'judge of eval-run ' || r.id, j.requested_by, sum(t.billed_micros)
  from eval_run_judgements j join eval_runs r on r.id = j.run_id join eval_judged_trials t on t.run_id = j.run_id
  where j.status = 'pending' group by r.organization_id, r.id, j.requested_by having sum(t.billed_micros) > 0),
booked as (
  select *, row_number() over earlier as nth, sum(micros) over earlier as so_far, to_char(now() at time zone 'UTC', 'YYYY-MM') as period
  from spent window earlier as (partition by organization_id order by reason rows unbounded preceding))
insert into ledger_entries (organization_id, budget, period, position, amount, total, reason, actor)
select b.organization_id, 'credits', b.period, coalesce(l.position, 0) + b.nth, b.micros / 10000.0,
  coalesce(l.total, 0) + b.so_far / 10000.0, b.reason, b.actor
from booked b left join lateral (
  select position, total from ledger_entries l
  where l.organization_id = b.organization_id and l.budget = 'credits' and l.period = b.period
  order by position desc limit 1) l on true;
`,
};
