import { bigint, flag, float, manyOf, orNull, text } from '../columns.ts';
import { query } from '../query.ts';

/** Millionths of a dollar in a credit, which is a cent. */
const perCredit = 10_000;

/** The monthly spending limit of an organization: the lower of its cap and its plan. Null means unlimited. */
const allowed = (organization: string): string =>
  `(select least(b.cap_credits::float8, (p.limits ->> 'credits')::float8) * ${perCredit} from organizations o
      left join plans p on p.name = o.plan left join spend_budgets b on b.organization_id = o.id
    where o.id = ${organization})`;
/** The amount spent. Reads the primary key backwards: one row, however long the ledger is. */
const settled = `coalesce((select l.total from ledger_entries l
    where l.organization_id = :organizationId and l.budget = 'credits' and l.period = :period
    order by l.position desc limit 1), 0) * ${perCredit}`;
const reserved = `coalesce((select sum(r.micros) from spend_reservations r
    where r.organization_id = :organizationId and r.period = :period), 0)::float8`;

const account = { settled: float, reserved: float, allowed: orNull(float) };

/** All figures of an organization's month, in millionths of a dollar. */
export const accountOf = query(
  'spend-reservations.account-of',
  `select ${settled} as settled, ${reserved} as reserved, ${allowed(':organizationId')} as allowed`,
  { organizationId: text, period: text },
  account,
);

const call = {
  id: text,
  organizationId: text,
  projectId: orNull(text),
  runId: orNull(text),
  trialId: orNull(text),
  model: text,
  period: text,
  micros: bigint,
  inputMicros: bigint,
  reason: text,
  actor: text,
};
const calls = manyOf(call);
const callRow = '(id, organization_id, project_id, run_id, trial_id, model, billed)';
const reservationRow =
  '(organization_id, id, period, study_id, day, micros, input_micros, reason, actor, expires_at)';

/** Opens the calls of organizations without a monthly limit, and reserves their cost. Other calls need `admit`. */
export const open = query(
  'spend-reservations.open',
  `with free as (select n.* from ${calls.from('n')} where ${allowed('n.organization_id')} is null),
   held as (
     insert into spend_reservations ${reservationRow}
     select organization_id, id, period, null, null, micros, input_micros, reason, actor,
       now() + :lease * interval '1 millisecond' from free),
   opened as (
     insert into model_calls ${callRow}
     select id, organization_id, project_id, run_id, trial_id, model, 'operator' from free)
   select id from free`,
  { ...calls.takes, lease: float },
  { id: text },
);

/** SQL condition: the cost fits within the limit. A call with no other reservation may exceed the remainder. */
const fits = (one: string): string =>
  `(${one}.allowed is null or ${one}.settled + ${one}.reserved + :micros <= ${one}.allowed
     or ${one}.reserved = 0 and ${one}.settled < ${one}.allowed)`;

/**
 * Opens a call and reserves its maximum cost, if the monthly limit of the organization and the daily limit of a study's
 * guests allow it. Called under the lock of the ledger, so that concurrent calls cannot use the same remainder.
 */
export const admit = query(
  'spend-reservations.admit',
  `with month as (
     select ${settled} as settled, ${reserved} as reserved, ${allowed(':organizationId')} as allowed),
   guests as (
     select coalesce((select s.micros from study_spending s where s.study_id = :studyId and s.day = :day), 0)::float8 as settled,
       coalesce((select sum(r.micros) from spend_reservations r
         where r.organization_id = :organizationId and r.study_id = :studyId and r.day = :day), 0)::float8 as reserved,
       :guestMicros::float8 as allowed),
   admitted as (
     select from month, guests where :micros::bigint = 0 or ${fits('month')} and ${fits('guests')}),
   held as (
     insert into spend_reservations ${reservationRow}
     select :organizationId, :id, :period, :studyId, :day, :micros, :inputMicros::bigint, :reason, :actor,
       now() + :lease * interval '1 millisecond' from admitted),
   opened as (
     insert into model_calls ${callRow}
     select :id, :organizationId, :projectId, :runId, :trialId, :model, 'operator' from admitted)
   select m.settled, m.reserved, m.allowed, g.settled as "guestSettled", g.allowed as "guestAllowed",
     exists (select from admitted) as admitted from month m, guests g`,
  { ...call, studyId: orNull(text), day: orNull(text), guestMicros: orNull(float), lease: float },
  { ...account, guestSettled: float, guestAllowed: orNull(float), admitted: flag },
);

const settling = manyOf({
  id: text,
  organizationId: text,
  period: text,
  studyId: orNull(text),
  day: orNull(text),
  reason: text,
  actor: text,
  outcome: text,
  inputTokens: orNull(bigint),
  outputTokens: orNull(bigint),
  costMicros: orNull(bigint),
  bookedMicros: bigint,
});
/**
 * Closes calls, books their cost and releases their reservations, under the lock of the ledger. A closed call stays
 * unchanged, except one that was recorded as lost: the rest of its cost is booked.
 */
export const settle = query(
  'spend-reservations.settle',
  `with n as (select * from ${settling.from('ended')}),
   due as (
     select n.*, n.booked_micros - case when c.outcome = 'lost' then coalesce(c.cost_micros, 0) else 0 end as micros
     from n join model_calls c on c.id = n.id and c.organization_id = n.organization_id
     where c.closed_at is null or c.outcome = 'lost' and n.outcome <> 'lost'),
   closed as (
     update model_calls c set outcome = due.outcome, input_tokens = due.input_tokens, output_tokens = due.output_tokens,
       cost_micros = due.cost_micros, closed_at = now()
     from due where c.id = due.id and c.organization_id = due.organization_id),
   released as (
     delete from spend_reservations r using n where r.organization_id = n.organization_id and r.id = n.id),
   guests as (
     insert into study_spending (organization_id, study_id, day, micros)
     select s.organization_id, s.id, due.day, sum(due.micros) from due
       join studies s on s.id = due.study_id and s.organization_id = due.organization_id
     where due.micros > 0 group by s.organization_id, s.id, due.day
     on conflict on constraint study_spending_pkey do update set micros = study_spending.micros + excluded.micros),
   entries as (
     select organization_id, period, reason, actor, sum(micros)::float8 / ${perCredit} as amount
     from due where micros > 0 group by organization_id, period, reason, actor),
   numbered as (
     select *, row_number() over earlier as nth, sum(amount) over earlier as so_far from entries
     window earlier as (partition by organization_id, period order by reason, actor rows unbounded preceding))
   insert into ledger_entries (organization_id, budget, period, position, amount, total, reason, actor)
   select e.organization_id, 'credits', e.period, coalesce(l.position, 0) + e.nth, e.amount,
     coalesce(l.total, 0) + e.so_far, e.reason, e.actor
   from numbered e left join lateral (
     select position, total from ledger_entries l
     where l.organization_id = e.organization_id and l.budget = 'credits' and l.period = e.period
     order by position desc limit 1) l on true`,
  settling.takes,
);

/** Reservations of processes that have stopped, or stalled for longer than the lease. */
export const expired = query(
  'spend-reservations.expired',
  `select id, organization_id as "organizationId", period, study_id as "studyId", day, input_micros as "inputMicros", reason,
     actor
   from spend_reservations where expires_at < now() order by expires_at limit 500`,
  {},
  {
    id: text,
    organizationId: text,
    period: text,
    studyId: orNull(text),
    day: orNull(text),
    inputMicros: bigint,
    reason: text,
    actor: text,
  },
  { index: 'spend_reservations_expiry' },
);
export const extend = query(
  'spend-reservations.extend',
  `update spend_reservations set expires_at = now() + :lease * interval '1 millisecond'
   where organization_id = :organizationId and id = :id`,
  { organizationId: text, id: text, lease: float },
);
