import {
  bigint,
  bytes,
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
import { projectColumns, projectList } from './projects.ts';
import type { Mode } from './studies.ts';
import { mayView } from './visibility.ts';

const members = table('study_members', {
  id: text,
  studyId: text,
  email: text,
  invitedBy: text,
  createdAt: time,
});

export const listMembers = query(
  'study-visitors.members',
  `select m.id, m.email, m.created_at as "createdAt",
     (select v.last_seen_at from study_visitors v where v.member_id = m.id) as "lastSeenAt"
   from study_members m where m.study_id = :studyId and m.id > :after order by m.id limit :most`,
  { studyId: text, after: text, most: bigint },
  { ...members.pick(['id', 'email', 'createdAt']), lastSeenAt: orNull(time) },
  { index: 'study_members_study' },
);
export const countMembers = query(
  'study-visitors.count-members',
  'select count(*)::int as count from study_members where study_id = :studyId',
  { studyId: text },
  { count: integer },
);
/** Adds a member, or returns the existing one with this email address. */
export const addMember = query(
  'study-visitors.add-member',
  `insert into study_members (id, study_id, email, invited_by) values (:id, :studyId, :email, :invitedBy)
   on conflict on constraint study_members_email do update set email = excluded.email returning id`,
  members.pick(['id', 'studyId', 'email', 'invitedBy']),
  { id: text },
);
export const findMember = query(
  'study-visitors.find-member',
  'select id, email from study_members where study_id = :studyId and email = :email',
  { studyId: text, email: text },
  members.pick(['id', 'email']),
);
export const removeMember = query(
  'study-visitors.remove-member',
  'delete from study_members where study_id = :studyId and (id = :idOrEmail or email = :idOrEmail) returning id',
  { studyId: text, idOrEmail: text },
  { id: text },
);

export const addTicket = query(
  'study-visitors.add-ticket',
  'insert into study_tickets (hash, member_id, expires_at) values (:hash, :memberId, :expiresAt)',
  { hash: bytes, memberId: text, expiresAt: time },
);
export const pruneTickets = query(
  'study-visitors.prune-tickets',
  'delete from study_tickets where expires_at < now()',
  {},
);
/** Keeps only the latest five tickets of a member. */
export const trimTickets = query(
  'study-visitors.trim-tickets',
  `delete from study_tickets where member_id = :memberId and hash not in (
     select hash from study_tickets where member_id = :memberId order by created_at desc, hash limit 5)`,
  { memberId: text },
);
/** Deletes a ticket, which is valid once. Returns its member unless the ticket has expired. */
export const useTicket = query(
  'study-visitors.use-ticket',
  `with used as (delete from study_tickets where hash = :hash returning member_id, expires_at)
   select m.id as "memberId", m.study_id as "studyId" from used u join study_members m on m.id = u.member_id
   where u.expires_at > now()`,
  { hash: bytes },
  { memberId: text, studyId: text },
);

const visitors = table('study_visitors', {
  id: text,
  studyId: text,
  kind: oneOf<'guest' | 'invited' | 'member'>(),
  userId: orNull(text),
  memberId: orNull(text),
  displayName: orNull(text),
  deviceKind: text,
  language: orNull(text),
  createdAt: time,
  lastSeenAt: time,
});
export type VisitorRow = RowOf<typeof visitors.columns>;

const made = [
  'id',
  'studyId',
  'kind',
  'userId',
  'memberId',
  'displayName',
  'deviceKind',
  'language',
] as const;
const back = `kind = :kind, user_id = :userId, member_id = :memberId,
     display_name = coalesce(:displayName, display_name), device_kind = :deviceKind,
     language = coalesce(:language, language), last_seen_at = now()`;
export const insert = query(
  'study-visitors.insert',
  `${visitors.insert(made)} returning ${visitors.all()}`,
  visitors.pick(made),
  visitors.columns,
);
/** Updates a returning visitor, who may have signed in since. */
export const touchVisitor = query(
  'study-visitors.touch',
  `update study_visitors set ${back} where id = :id and study_id = :studyId returning ${visitors.all()}`,
  visitors.pick(made),
  visitors.columns,
);
/** The visitor of this account or invitation. */
export const findKnown = query(
  'study-visitors.find-known',
  `select ${visitors.all()} from study_visitors
   where study_id = :studyId and (user_id = :userId or member_id = :memberId) order by created_at limit 1`,
  { studyId: text, userId: orNull(text), memberId: orNull(text) },
  visitors.columns,
);
/** Finds the visitor of an earlier visit, even if the token no longer grants access. */
export const findByToken = query(
  'study-visitors.find-by-token',
  `select ${visitors.all('v')} from study_grants g join study_visitors v on v.id = g.visitor_id
   where g.token_hash = :tokenHash`,
  { tokenHash: bytes },
  visitors.columns,
);
export const seen = query(
  'study-visitors.seen',
  'update study_visitors set last_seen_at = now() where id = :id',
  { id: text },
);
export const countNewGuests = query(
  'study-visitors.count-new-guests',
  `select count(*)::int as count from study_visitors
   where study_id = :studyId and kind = 'guest' and created_at > now() - interval '1 day'`,
  { studyId: text },
  { count: integer },
);
/** Whether this account is a visitor of the study and still has access. */
export const isVisitor = query(
  'study-visitors.is-visitor',
  `select v.id from study_visitors v join studies s on s.id = v.study_id join study_grants g on g.visitor_id = v.id
   where v.study_id = :studyId and v.user_id = :userId and s.published_at is not null
     and g.access_version = s.access_version and (s.mode = 'anyone_with_link' or v.member_id is not null) limit 1`,
  { studyId: text, userId: text },
  { id: text },
);

export const grant = query(
  'study-visitors.grant',
  `insert into study_grants (token_hash, visitor_id, access_version)
   select :tokenHash, :visitorId, access_version from studies where id = :studyId`,
  { tokenHash: bytes, visitorId: text, studyId: text },
);
/** Keeps only the latest ten grants of a visitor. */
export const trimGrants = query(
  'study-visitors.trim-grants',
  `delete from study_grants where visitor_id = :visitorId and token_hash not in (
     select token_hash from study_grants where visitor_id = :visitorId order by created_at desc, token_hash limit 10)`,
  { visitorId: text },
);

const study = {
  id: text,
  organizationId: text,
  plan: text,
  environmentId: text,
  name: text,
  description: orNull(text),
  mode: oneOf<Mode>(),
  guestExecution: json<unknown>(),
};
/** The objects that a grant gives access to, with fields named after their part. */
const opened = {
  ...prefixed('visitor', visitors.columns),
  ...prefixed('study', study),
  ...prefixed('project', projectColumns),
};
type Prefixed<Part extends string, C> = { [Field in keyof C & string as `${Part}.${Field}`]: C[Field] };
function prefixed<Part extends string, C extends object>(part: Part, columns: C): Prefixed<Part, C> {
  return Object.fromEntries(
    Object.entries(columns).map(([field, kind]: [string, unknown]) => [`${part}.${field}`, kind]),
  ) as Prefixed<Part, C>;
}
const named = (part: string, list: string): string => list.replaceAll(' as "', ` as "${part}.`);

/**
 * A valid grant: the study is published, the grant is for the current version, and the mode admits this kind of
 * visitor. The visitor's project role is read again.
 */
const openGrantsWhere = (which: string): string =>
  `from study_grants g join study_visitors v on v.id = g.visitor_id join studies s on s.id = v.study_id
     join projects p on p.id = s.project_id and p.deleted_at is null join organizations o on o.id = s.organization_id
     left join organization_members om on om.organization_id = s.organization_id and om.user_id = v.user_id
     left join project_members pm on pm.project_id = p.id and pm.user_id = v.user_id
   where ${which} and g.access_version = s.access_version and s.published_at is not null
     and exists (select from organization_features f where f.organization_id = s.organization_id and f.feature = 'user-testing')
     and case v.kind when 'guest' then s.mode = 'anyone_with_link'
       when 'invited' then v.member_id is not null and s.mode <> 'project_members'
       else om.user_id is not null and ${mayView('om.role', 'pm.role')} end`;
/** The visitor of this grant, if the grant is valid. */
export const openGrant = query(
  'study-visitors.open-grant',
  `select ${named('visitor', visitors.all('v'))},
     s.id as "study.id", s.organization_id as "study.organizationId", o.plan as "study.plan",
     s.environment_id as "study.environmentId", s.name as "study.name", s.description as "study.description",
     s.mode as "study.mode", s.guest_execution as "study.guestExecution",
     ${named('project', projectList("'member'::text", 'null::text'))}
   ${openGrantsWhere('g.token_hash = :tokenHash')}`,
  { tokenHash: bytes },
  opened,
);
/** The valid grants among these, by hash in hex. */
export const openGrants = query(
  'study-visitors.open-grants',
  `select encode(g.token_hash, 'hex') as "tokenHash"
   ${openGrantsWhere("g.token_hash = any(array(select decode(h, 'hex') from unnest(:tokenHashes::text[]) h))")}`,
  { tokenHashes: texts },
  { tokenHash: text },
);

/** Whether an account has access to a project. Returns no row if the account is not in the project's organization. */
export const seesProject = query(
  'study-visitors.sees-project',
  `select ${mayView('om.role', 'pm.role')} as sees from projects p
     join organization_members om on om.organization_id = p.organization_id and om.user_id = :userId
     left join project_members pm on pm.project_id = p.id and pm.user_id = :userId
   where p.id = :projectId and p.deleted_at is null`,
  { projectId: text, userId: text },
  { sees: orNull(flag) },
);
