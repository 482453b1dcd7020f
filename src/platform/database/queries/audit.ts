import { bigint, flag, json, orNull, type RowOf, table, text, time } from '../columns.ts';
import { query } from '../query.ts';

export type AuditDetails = Record<string, unknown>;

const events = table('audit_events', {
  id: text,
  /** Empty for what was done in the installation as a whole. */
  organizationId: text,
  projectId: orNull(text),
  /** A user id, or `operator` for the command line. */
  actor: text,
  action: text,
  target: text,
  requestId: orNull(text),
  at: time,
  /** Who or what it was about, and what it was before. */
  details: orNull(json<AuditDetails>()),
});
export type AuditRow = RowOf<typeof events.columns>;

const written = [
  'id',
  'organizationId',
  'projectId',
  'actor',
  'action',
  'target',
  'requestId',
  'details',
] as const;
export const insert = query('audit.insert', events.insert(written), events.pick(written));
export const isThere = query(
  'audit.is-there',
  'select exists (select from audit_events where id = :id) as there',
  { id: text },
  { there: flag },
);
/** Of one organization or of all, newest first. For one, audit_events_organization serves it. */
export const list = query(
  'audit.list',
  `select ${events.all()} from audit_events
   where :organizationId::text is null or organization_id = :organizationId order by id desc limit :most`,
  { organizationId: orNull(text), most: bigint },
  events.columns,
  { index: 'audit_events_pkey' },
);

const named = { ...events.columns, actorEmail: orNull(text), actorName: orNull(text) };
export type NamedAuditRow = RowOf<typeof named>;
/** Of one organization, newest first; `action` is a pattern. */
export const page = query(
  'audit.page',
  `select ${events.all('e')}, u.email as "actorEmail", u.name as "actorName"
   from audit_events e left join users u on u.id = e.actor
   where e.organization_id = :organizationId and (:before::text is null or e.id < :before)
     and (:action::text is null or e.action like :action) and (:actor::text is null or e.actor = :actor)
     and (:target::text is null or e.target = :target) and (:projectId::text is null or e.project_id = :projectId)
     and (:from::timestamptz is null or e.at >= :from) and (:to::timestamptz is null or e.at < :to)
   order by e.id desc limit :most`,
  {
    organizationId: text,
    before: orNull(text),
    action: orNull(text),
    actor: orNull(text),
    target: orNull(text),
    projectId: orNull(text),
    from: orNull(time),
    to: orNull(time),
    most: bigint,
  },
  named,
  { index: 'audit_events_organization' },
);
