import { bigint, bytes, flag, integer, orNull, type RowOf, table, text, texts, time } from '../columns.ts';
import { query } from '../query.ts';
import { isDue } from './webhook-deliveries.ts';

const webhooks = table(
  'webhooks',
  {
    id: text,
    organizationId: text,
    projectId: text,
    name: text,
    sealedId: text,
    shownUrl: text,
    events: texts,
    enabled: flag,
    disabledReason: orNull(text),
    failures: integer,
    failingSince: orNull(time),
    lastDeliveredAt: orNull(time),
    createdBy: text,
    createdAt: time,
    updatedAt: time,
  },
  { nameKey: text },
);

const counted = { ...webhooks.columns, pending: bigint, dead: bigint };
export type WebhookRow = RowOf<typeof counted>;
const counts = `coalesce((select count(*) from webhook_deliveries d where d.webhook_id = w.id and d.state = 'pending'), 0) as pending,
  coalesce((select count(*) from webhook_deliveries d where d.webhook_id = w.id and d.state = 'dead'), 0) as dead`;
export const list = query(
  'webhooks.list',
  `select ${webhooks.all('w')}, ${counts} from webhooks w
   where w.project_id = :projectId and w.id > :after order by w.id limit :most`,
  { projectId: text, after: text, most: bigint },
  counted,
  { index: 'webhooks_project' },
);
const one = { projectId: text, id: text };
export const find = query(
  'webhooks.find',
  `select ${webhooks.all('w')}, ${counts} from webhooks w where w.project_id = :projectId and w.id = :id`,
  one,
  counted,
);
export const lock = query(
  'webhooks.lock',
  `select ${webhooks.all()} from webhooks where project_id = :projectId and id = :id for update`,
  one,
  webhooks.columns,
);
export const count = query(
  'webhooks.count',
  'select count(*) as count from webhooks where project_id = :projectId',
  { projectId: text },
  { count: bigint },
);
const written = [
  'id',
  'organizationId',
  'projectId',
  'name',
  'nameKey',
  'sealedId',
  'shownUrl',
  'events',
  'enabled',
  'createdBy',
] as const;
export const insert = query('webhooks.insert', webhooks.insert(written), webhooks.pick(written));
const edited = ['name', 'nameKey', 'sealedId', 'shownUrl', 'events', 'enabled', 'disabledReason'] as const;
/** Any change resets the failures, so that deliveries resume at once. */
export const update = query(
  'webhooks.update',
  `update webhooks set ${webhooks.set(edited)}, failures = 0, failing_since = null, paused_until = null, updated_at = now()
   where project_id = :projectId and id = :id`,
  { ...one, ...webhooks.pick(edited) },
);
export const remove = query(
  'webhooks.remove',
  'delete from webhooks where project_id = :projectId and id = :id returning sealed_id as "sealedId"',
  one,
  { sealedId: text },
);

/**
 * Webhooks subscribed to events of these types. Locked until the transaction ends, so that no delivery is inserted for
 * a deleted one.
 */
export const listening = query(
  'webhooks.listening',
  `select ${webhooks.all()} from webhooks where project_id = :projectId and enabled and events && :types
   order by id for key share`,
  { projectId: text, types: texts },
  webhooks.columns,
);
const due = { id: text, organizationId: text, createdBy: text };
/**
 * Webhooks with due deliveries. Of those whose last attempt failed only a few get a job at once, longest waiting first,
 * because their attempts may take long and block others. Sorted in the order in which `emit` locks them, to avoid
 * deadlocks.
 */
export const withDue = query(
  'webhooks.with-due',
  `with due as (
     select w.id, w.organization_id, w.created_by, w.failures > 0 as failing, (
       select min(d.next_attempt_at) from webhook_deliveries d where d.webhook_id = w.id and ${isDue}) as since
     from webhooks w join projects p on p.id = w.project_id and p.deleted_at is null
     where w.enabled and (w.paused_until is null or w.paused_until <= now())),
   busy as (
     select w.id from jobs j join webhooks w on w.id = j.unique_key
     where j.kind = :kind and j.due_at is not null and w.failures > 0),
   retried as (
     select id from due where failing and since is not null and id not in (select id from busy)
     order by since, id limit greatest(0, :maxFailing - (select count(*) from busy)))
   select id, organization_id as "organizationId", created_by as "createdBy" from due
   where since is not null and (not failing or id in (select id from retried)) order by id`,
  { kind: text, maxFailing: bigint },
  due,
);
const open = { ...webhooks.columns, keyId: text, ciphertext: bytes };
/** Finds the webhook with its encrypted secret, unless it is disabled or paused. */
export const toSendTo = query(
  'webhooks.to-send-to',
  `select ${webhooks.all('w')}, v.key_id as "keyId", v.ciphertext
   from webhooks w join sealed_values v on v.id = w.sealed_id
   join projects p on p.id = w.project_id and p.deleted_at is null
   where w.id = :id and w.enabled and (w.paused_until is null or w.paused_until <= now())`,
  { id: text },
  open,
);
/** A success ends the pause and resets the failures. */
export const noteSuccess = query(
  'webhooks.note-success',
  `update webhooks set failures = 0, failing_since = null, paused_until = null, last_delivered_at = now()
   where id = :id`,
  { id: text },
);
/**
 * After several consecutive failures the endpoint is paused: 10 seconds, doubled each time, up to 10 minutes. Attempts
 * that were already running when the pause began do not count.
 */
export const noteFailure = query(
  'webhooks.note-failure',
  `update webhooks set failures = failures + 1, failing_since = coalesce(failing_since, now()),
     paused_until = case when failures >= 4
       then now() + least(600, 10 * 2 ^ least(failures - 4, 10)) * interval '1 second' end
   where id = :id and (paused_until is null or paused_until <= now())`,
  { id: text },
);
export const disable = query(
  'webhooks.disable',
  'update webhooks set enabled = false, disabled_reason = :reason where id = :id and sealed_id = :sealedId',
  { id: text, sealedId: text, reason: text },
);
/** Whether the webhook still has this URL and secret. */
export const sendsTo = query(
  'webhooks.sends-to',
  'select id from webhooks where id = :id and sealed_id = :sealedId',
  { id: text, sealedId: text },
  { id: text },
);
export const resume = query('webhooks.resume', 'update webhooks set paused_until = null where id = :id', {
  id: text,
});
