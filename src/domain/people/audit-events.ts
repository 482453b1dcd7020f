import * as events from '../../platform/database/queries/audit.ts';
import { pageBy } from '../base/paging.ts';
import type { Verb } from '../context/verb.ts';

export const listAuditEvents: Verb<'listAuditEvents'> = async (
  context,
  { organizationId, cursor, limit, action = null, actor = null, target = null, projectId = null, from, to },
) => {
  const times = { from: from ?? null, to: to ?? null };
  const filters = { action: patternOf(action), actor, target, projectId, ...times };
  return pageBy(
    context,
    { cursor, limit },
    {
      scope: ['audit', organizationId, ...Object.values(filters)],
      placeOf: ({ id }: events.NamedAuditRow) => [id] as const,
      fetch: (before, most) =>
        context.db.rows(events.page, { organizationId, ...filters, before: before?.[0] ?? null, most }),
      present: ({ actor: id, actorEmail: email, actorName: name, ...event }) => ({
        ...event,
        actor: { id, email, name },
      }),
    },
  );
};

/** `key.*` matches every action with that prefix; other wildcards are taken literally. */
function patternOf(action: string | null): string | null {
  if (action === null) return null;
  const literal = action.replaceAll(/[\\%_]/g, String.raw`\$&`);
  return literal.endsWith('.*') ? `${literal.slice(0, -1)}%` : literal;
}
