import { bigint, orNull, type RowOf, table, text, time } from '../columns.ts';
import { query } from '../query.ts';

const events = table('audit_events', {
  id: text,
  organizationId: orNull(text),
  projectId: orNull(text),
  /** A user id, or `operator` for the command line. */
  actor: text,
  action: text,
  target: text,
  requestId: orNull(text),
  at: time,
});
export type AuditRow = RowOf<typeof events.columns>;

const written = ['id', 'organizationId', 'projectId', 'actor', 'action', 'target', 'requestId'] as const;
export const insert = query('audit.insert', events.insert(written), events.pick(written));
/** Of one organization or of all, newest first. For one, audit_events_organization serves it. */
export const list = query(
  'audit.list',
  `select ${events.all()} from audit_events
   where :organizationId::text is null or organization_id = :organizationId order by id desc limit :most`,
  { organizationId: orNull(text), most: bigint },
  events.columns,
  { index: 'audit_events_pkey' },
);
