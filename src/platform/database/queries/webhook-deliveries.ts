import {
  bigint,
  flag,
  float,
  integer,
  json,
  manyOf,
  oneOf,
  orNull,
  type RowOf,
  table,
  text,
  time,
} from '../columns.ts';
import { query } from '../query.ts';

export type DeliveryState = 'pending' | 'delivered' | 'dead';

export interface Attempt {
  at: number;
  durationMs: number;
  status: number | null;
  error: string | null;
}

const deliveries = table(
  'webhook_deliveries',
  {
    id: text,
    webhookId: text,
    projectId: text,
    eventId: text,
    type: text,
    subject: text,
    state: oneOf<DeliveryState>(),
    attempts: integer,
    nextAttemptAt: time,
    lastStatus: orNull(integer),
    lastError: orNull(text),
    createdAt: time,
    endedAt: orNull(time),
  },
  { data: json<Record<string, unknown>>(), log: json<Attempt[]>() },
);
export type DeliveryRow = RowOf<typeof deliveries.columns>;
const whole = { ...deliveries.columns, ...deliveries.pick(['data', 'log']) };
export type WholeDelivery = RowOf<typeof whole>;

const added = manyOf(deliveries.pick(['id', 'webhookId', 'projectId', 'eventId', 'type', 'subject', 'data']));
/** Inserts deliveries in the given order. */
export const insert = query(
  'webhook-deliveries.insert',
  `insert into webhook_deliveries (id, webhook_id, project_id, event_id, type, subject, data)
   select id, webhook_id, project_id, event_id, type, subject, data from ${added.from('a')}`,
  added.takes,
);
export const list = query(
  'webhook-deliveries.list',
  `select ${deliveries.all()} from webhook_deliveries
   where webhook_id = :webhookId and (:before::text is null or id < :before) order by id desc limit :most`,
  { webhookId: text, before: orNull(text), most: bigint },
  deliveries.columns,
  { index: 'webhook_deliveries_webhook' },
);
export const listInState = query(
  'webhook-deliveries.list-in-state',
  `select ${deliveries.all()} from webhook_deliveries
   where webhook_id = :webhookId and state = :state and (:before::text is null or id < :before)
   order by id desc limit :most`,
  { webhookId: text, state: oneOf<DeliveryState>(), before: orNull(text), most: bigint },
  deliveries.columns,
  { index: 'webhook_deliveries_state' },
);
const one = { webhookId: text, id: text };
export const find = query(
  'webhook-deliveries.find',
  `select ${deliveries.all()}, data, log from webhook_deliveries where webhook_id = :webhookId and id = :id`,
  one,
  whole,
);
/** SQL condition for a delivery `d` that may be sent now: it is due, and the first pending one of its subject. */
export const isDue = `d.state = 'pending' and d.next_attempt_at <= now()
     and not exists (select from webhook_deliveries e
       where e.webhook_id = d.webhook_id and e.subject = d.subject and e.state = 'pending' and e.place < d.place)`;
/** Deliveries that are due now. Repeated failures of one do not block others. */
export const next = query(
  'webhook-deliveries.next',
  `select ${deliveries.all('d')}, d.data, d.log from webhook_deliveries d
   where d.webhook_id = :webhookId and ${isDue}
   order by d.attempts, d.place limit :most`,
  { webhookId: text, most: bigint },
  whole,
  { index: 'webhook_deliveries_due' },
);
/** Records an attempt. Returns no row if another process, which considered this one dead, has already recorded it. */
export const note = query(
  'webhook-deliveries.note',
  `update webhook_deliveries set attempts = attempts + 1, state = :state, last_status = :lastStatus,
     last_error = :lastError, log = :log, next_attempt_at = now() + :wait * interval '1 millisecond',
     ended_at = case when :state = 'pending' then null else now() end
   where id = :id and state = 'pending' and attempts = :attempts`,
  { ...deliveries.pick(['id', 'attempts', 'state', 'lastStatus', 'lastError', 'log']), wait: float },
);
const afresh = `state = 'pending', attempts = 0, next_attempt_at = now(), ended_at = null, last_error = null,
  last_status = null`;
/** Restarts a delivery from the first attempt. */
export const again = query(
  'webhook-deliveries.again',
  `update webhook_deliveries set ${afresh} where webhook_id = :webhookId and id = :id returning ${deliveries.all()}`,
  one,
  deliveries.columns,
);
/**
 * Restarts the oldest deliveries, including all with the same time as the last one, so that a caller that continues
 * after that time neither skips nor repeats any.
 */
export const againSince = query(
  'webhook-deliveries.again-since',
  `update webhook_deliveries set ${afresh} where id in (
     select id from webhook_deliveries where webhook_id = :webhookId and created_at >= :since and type <> 'webhook.test'
       and (state = 'dead' or (:all and state = 'delivered'))
     order by created_at fetch first :most rows with ties)
   returning created_at as "createdAt"`,
  { webhookId: text, since: time, all: flag, most: bigint },
  { createdAt: time },
);

/** Gives up deliveries that were not sent within three days after they were due. */
export const giveUpOld = query(
  'webhook-deliveries.give-up-old',
  `update webhook_deliveries set state = 'dead', ended_at = now(), last_error = coalesce(last_error, 'Not sent for 3 days')
   where state = 'pending' and greatest(created_at, next_attempt_at) < now() - interval '3 days'`,
  {},
);
export const prune = query(
  'webhook-deliveries.prune',
  `delete from webhook_deliveries where created_at < now() - interval '30 days' and state <> 'pending'`,
  {},
);
