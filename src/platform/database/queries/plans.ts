import { json, type RowOf, table, text } from '../columns.ts';
import { query } from '../query.ts';

const plans = table('plans', {
  name: text,
  limits: json<Record<string, number | null>>(),
  features: json<Record<string, boolean>>(),
});
export type PlanRow = RowOf<typeof plans.columns>;

export const find = query(
  'plans.find',
  `select ${plans.all()} from plans where name = :name`,
  { name: text },
  plans.columns,
);
export const list = query('plans.list', `select ${plans.all()} from plans order by name`, {}, plans.columns);
export const upsert = query(
  'plans.upsert',
  `${plans.insert()}
   on conflict (name) do update set limits = excluded.limits, features = excluded.features, updated_at = now()`,
  plans.columns,
);
export const ofOrganization = query(
  'plans.of-organization',
  `select ${plans.all('p')} from organizations o join plans p on p.name = o.plan where o.id = :organizationId`,
  { organizationId: text },
  plans.columns,
);
