import { bigint, flag, json, orNull, type RowOf, table, text, time } from '../columns.ts';
import { query } from '../query.ts';

export type AuditDetails = Record<string, unknown>;

const events = table('audit_events', {
  id: text,
  /** Empty for what was done in the installation as a whole. */
  organizationId: text,
  projectId: orNull(text),
  /** A user ID, or `operator` for the command line. */
  actor: text,
  action: text,
  target: text,
  requestId: orNull(text),
  at: time,
  /** The object of the action, and its state before. */
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
export const exists = query(
  'audit.exists',
  'select exists (select from audit_events where id = :id) as there',
  { id: text },
  { there: flag },
);
const actor = { actorEmail: orNull(text), actorName: orNull(text) };
const listed = { ...events.columns, ...actor, targetName: orNull(text) };
export type ListedAuditRow = RowOf<typeof listed>;
/**
 * Events of one organization or all, newest first, with the names of actor and target if they still exist. Served by
 * audit_events_organization for one organization.
 */
export const list = query(
  'audit.list',
  `select ${events.all('e')}, u.email as "actorEmail", u.name as "actorName", coalesce(
     (select a.email from users a where a.id = e.target), (select o.name from organizations o where o.id = e.target),
     (select p.name from projects p where p.id = e.target and p.organization_id = e.organization_id),
     (select k.name from api_keys k where k.id = e.target and k.organization_id = e.organization_id),
     (select s.name from servers s where s.id = e.target and s.organization_id = e.organization_id),
     (select s.name from eval_suites s where s.id = e.target and s.organization_id = e.organization_id)) as "targetName"
   from audit_events e left join users u on u.id = e.actor
   where :organizationId::text is null or e.organization_id = :organizationId order by e.id desc limit :most`,
  { organizationId: orNull(text), most: bigint },
  listed,
  { index: 'audit_events_pkey' },
);

const named = { ...events.columns, ...actor };
export type NamedAuditRow = RowOf<typeof named>;
/** Events of one organization, newest first. `action` is a pattern for LIKE. */
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
