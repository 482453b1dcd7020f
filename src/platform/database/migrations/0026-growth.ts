import { attachFirst, byId, byPeriod } from '../partitions.ts';

interface Parted {
  table: string;
  key: string;
  primary: string;
  indexes?: Record<string, string>;
  /** Foreign keys: column and referenced table. */
  references?: Record<string, string>;
}

/**
 * Creates a partitioned table with the name, columns, keys and indexes of the table, which becomes its first partition.
 */
function inParts({ table, key, primary, indexes = {}, references = {} }: Parted): string {
  return [
    `alter table ${table} rename to ${table}_before`,
    `alter table ${table}_before rename constraint ${table}_pkey to ${table}_before_pkey`,
    ...Object.keys(indexes).map((name) => `alter index ${name} rename to ${name}_before`),
    `create table ${table} (like ${table}_before including defaults including constraints including storage)
       partition by range (${key})`,
    `alter table ${table} add primary key (${primary})`,
    ...Object.entries(indexes).map(([name, on]) => `create index ${name} on ${table} ${on}`),
    ...Object.entries(references).map(
      ([column, to]) => `alter table ${table} add foreign key (${column}) references ${to} on delete cascade`,
    ),
  ]
    .map((statement) => `${statement};\n`)
    .join('');
}

/** Partitions append-only tables by month, and adds retention settings to organizations. */
export const growth = {
  name: '0026-growth',
  locks: `lock table audit_events, webhook_deliveries, server_check_results, model_calls, eval_run_events, eval_traces,
      ledger_entries in access exclusive mode;
    lock table organizations, projects, webhooks, server_checks in share row exclusive mode`,
  sql: `
-- Numbers come from a sequence of the whole: parts have no identity of their own.
alter table webhook_deliveries alter column place drop identity;
create sequence webhook_deliveries_place_seq as bigint;
select setval('webhook_deliveries_place_seq', coalesce(max(place), 0) + 1, false) from webhook_deliveries;
alter table webhook_deliveries alter column place set default nextval('webhook_deliveries_place_seq');

-- What goes is found by its organization.
create index model_calls_organization on model_calls (organization_id, id);

${inParts({
  table: 'audit_events',
  key: 'id',
  primary: 'id',
  indexes: { audit_events_organization: '(organization_id, id)' },
})}
${inParts({
  table: 'webhook_deliveries',
  key: 'id',
  primary: 'id',
  indexes: {
    webhook_deliveries_webhook: '(webhook_id, id)',
    webhook_deliveries_state: '(webhook_id, state, id)',
    webhook_deliveries_project: '(project_id)',
    webhook_deliveries_due: "(webhook_id, attempts, place) where state = 'pending'",
    webhook_deliveries_subject: "(webhook_id, subject, place) where state = 'pending'",
    webhook_deliveries_age: '(created_at)',
  },
  references: { webhook_id: 'webhooks (id)', project_id: 'projects (id)' },
})}
alter sequence webhook_deliveries_place_seq owned by webhook_deliveries.place;
${inParts({
  table: 'server_check_results',
  key: 'id',
  primary: 'id',
  indexes: {
    server_check_results_server: '(server_id, id)',
    server_check_results_time: '(server_id, checked_at)',
    server_check_results_project: '(project_id)',
    server_check_results_age: '(checked_at)',
  },
  references: { server_id: 'server_checks (server_id)', project_id: 'projects (id)' },
})}
${inParts({
  table: 'model_calls',
  key: 'id',
  primary: 'id',
  indexes: {
    model_calls_run: '(run_id, id) where run_id is not null',
    model_calls_organization: '(organization_id, id)',
  },
  references: { organization_id: 'organizations (id)' },
})}
${inParts({ table: 'eval_run_events', key: 'run_id', primary: 'run_id, number' })}
${inParts({ table: 'eval_traces', key: 'trial_id', primary: 'trial_id' })}
${inParts({
  table: 'ledger_entries',
  key: 'period',
  primary: 'organization_id, budget, period, position',
  references: { organization_id: 'organizations (id)' },
})}

create table retention (
  organization_id text collate "C" not null references organizations (id) on delete cascade,
  kind text collate "C" not null check (kind in ('audit', 'traces', 'runs', 'usage')),
  days integer not null check (days between 1 and 36500),
  -- What was made before is gone.
  done_until timestamptz(3),
  primary key (organization_id, kind)
);
`,
  fill: (client: Parameters<typeof attachFirst>[0]) =>
    attachFirst(client, [
      byId('audit_events', 'aud'),
      byId('webhook_deliveries', 'dlv'),
      byId('server_check_results', 'chk'),
      byId('model_calls', 'call'),
      byId('eval_run_events', 'run'),
      byId('eval_traces', 'itr'),
      byPeriod('ledger_entries'),
    ]),
};
