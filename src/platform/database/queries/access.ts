import { bigint, flag, listOf, orNull, text, texts } from '../columns.ts';
import { query } from '../query.ts';
import { isActive } from './console-sessions.ts';
import { mayView } from './visibility.ts';

/** Announces the ID of a user, project, key, session or study that lets in fewer than before. */
export const accessChannel = 'drydock_access';

/**
 * SQL condition: the user may use the project and, if a key is given, the key still works. The arguments are SQL
 * expressions.
 */
export const mayUse = ({ project, user, key }: Record<'project' | 'user' | 'key', string>): string =>
  `(exists (select from projects p join organization_members m on m.organization_id = p.organization_id and m.user_id = ${user}
       left join project_members i on i.project_id = p.id and i.user_id = m.user_id
     where p.id = ${project} and p.deleted_at is null and ${mayView('m.role', 'i.role')})
   and (${key} is null or exists (select from api_keys k
     where k.id = ${key} and k.revoked_at is null and k.organization_id is not null)))`;

const works = `m.role is not null
     and (h.key_id is null or exists (select from api_keys k
       where k.id = h.key_id and k.revoked_at is null and k.organization_id = h.organization_id))
     and (h.session_id is null or exists (select from console_sessions s where s.id = h.session_id and ${isActive('s')}))`;
const enters = `(h.project_id is null or coalesce(p.id is not null and ${mayView('m.role', 'i.role')}, false))
     and (not h.admin or coalesce(m.role <> 'member' or i.role = 'admin', false))`;
/**
 * Finds holders of open connections that have lost access, by their positions in the lists. `works` is false if the
 * account, key or session has ended, and true if only the project or the administrator role was lost.
 */
export const ended = query(
  'access.ended',
  `select h.n, ${works} as works
   from unnest(:organizationIds::text[], :userIds::text[], :projectIds::text[], :keyIds::text[], :sessionIds::text[],
       :admins::boolean[]) with ordinality as h (organization_id, user_id, project_id, key_id, session_id, admin, n)
     left join organization_members m on m.organization_id = h.organization_id and m.user_id = h.user_id
     left join projects p on p.id = h.project_id and p.organization_id = h.organization_id and p.deleted_at is null
     left join project_members i on i.project_id = p.id and i.user_id = h.user_id
   where not (${works} and ${enters})`,
  {
    organizationIds: texts,
    userIds: texts,
    projectIds: listOf(orNull(text)),
    keyIds: listOf(orNull(text)),
    sessionIds: listOf(orNull(text)),
    admins: listOf(flag),
  },
  { n: bigint, works: flag },
);
