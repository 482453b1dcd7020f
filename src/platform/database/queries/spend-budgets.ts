import { bigint, float, integer, listOf, table, text, time } from '../columns.ts';
import { query } from '../query.ts';

const budgets = table('spend_budgets', {
  organizationId: text,
  capCredits: bigint,
  alertPercents: listOf(integer),
  updatedAt: time,
});

export const find = query(
  'spend-budgets.find',
  `select ${budgets.all()} from spend_budgets where organization_id = :organizationId`,
  { organizationId: text },
  budgets.columns,
);
export const put = query(
  'spend-budgets.put',
  `insert into spend_budgets (organization_id, cap_credits, alert_percents)
   values (:organizationId, :capCredits, :alertPercents)
   on conflict (organization_id) do update set cap_credits = excluded.cap_credits,
     alert_percents = excluded.alert_percents, updated_at = now()`,
  budgets.pick(['organizationId', 'capCredits', 'alertPercents']),
);
export const remove = query(
  'spend-budgets.remove',
  'delete from spend_budgets where organization_id = :organizationId',
  { organizationId: text },
);
/**
 * The time at which the total of a period first reached an amount. Reads the primary key from the beginning of the
 * period.
 */
export const reachedAt = query(
  'spend-budgets.reached-at',
  `select at from ledger_entries
   where organization_id = :organizationId and budget = 'credits' and period = :period and total >= :total
   order by position limit 1`,
  { organizationId: text, period: text, total: float },
  { at: time },
);
