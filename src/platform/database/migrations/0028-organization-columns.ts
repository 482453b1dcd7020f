/** The parent table that determines the organization of a row, and the column that references it. */
interface Owner {
  table: string;
  by: string;
}

/** Tables without a column for their organization, grouped by owner. */
const owned: [owner: Owner, tables: string[]][] = [
  [
    { table: 'projects', by: 'project_id' },
    [
      'browser_profiles',
      'client_configs',
      'clients',
      'contract_baselines',
      'environments',
      'eval_suites',
      'eval_cases',
      'journey_findings',
      'journey_observations',
      'journeys',
      'oauth_grants',
      'personas',
      'plugins',
      'plugin_versions',
      'project_members',
      'registry_connections',
      'secrets',
      'server_check_results',
      'server_groups',
      'servers',
      'shares',
      'skills',
      'swarms',
      'wave_insights',
      'webhook_deliveries',
    ],
  ],
  [{ table: 'skills', by: 'skill_id' }, ['skill_files']],
  [{ table: 'eval_suites', by: 'suite_id' }, ['eval_suite_revisions']],
  [
    { table: 'eval_runs', by: 'run_id' },
    [
      'eval_artifact_refs',
      'eval_backtests',
      'eval_backtest_pages',
      'eval_case_evaluations',
      'eval_gate_waivers',
      'eval_judged_trials',
      'eval_results',
      'eval_run_events',
      'eval_run_insights',
      'eval_run_judgements',
      'eval_run_outcomes',
      'eval_run_snapshots',
      'eval_tally',
      'eval_traces',
    ],
  ],
  [{ table: 'conformance_runs', by: 'run_id' }, ['conformance_reports']],
  [{ table: 'journey_runs', by: 'run_id' }, ['journey_run_snapshots', 'journey_run_tools']],
  [{ table: 'journey_sessions', by: 'session_id' }, ['journey_turns']],
  [{ table: 'browser_sessions', by: 'session_id' }, ['browser_entries']],
  [{ table: 'chat_sessions', by: 'session_id' }, ['chat_messages', 'tool_approvals', 'study_sessions']],
  [
    { table: 'studies', by: 'study_id' },
    [
      'study_findings',
      'study_insights',
      'study_members',
      'study_observations',
      'study_spending',
      'study_visitors',
      'study_windows',
    ],
  ],
  [{ table: 'study_visitors', by: 'visitor_id' }, ['study_grants']],
  [{ table: 'study_members', by: 'member_id' }, ['study_tickets']],
  [{ table: 'study_sessions', by: 'session_id' }, ['study_turns', 'study_widgets']],
];

/**
 * Adds the column, with a trigger that fills it in for versions that do not know it. Rows whose parent is gone are
 * unreachable and are deleted.
 */
function columnsOf([{ table: owner, by }, tables]: (typeof owned)[number]): string {
  const key = owner === 'study_sessions' ? 'session_id' : 'id';
  const named = `organization_of_${owner}`;
  const statements = tables.flatMap((table) => [
    `alter table ${table} add column organization_id text collate "C"`,
    `update ${table} t set organization_id = o.organization_id from ${owner} o where o.${key} = t.${by}`,
    `delete from ${table} where organization_id is null`,
    `alter table ${table} alter column organization_id set not null`,
    `create trigger organization before insert on ${table} for each row
       when (new.organization_id is null) execute function ${named}()`,
  ]);
  return [
    `create function ${named}() returns trigger language plpgsql as $$
     begin
       select o.organization_id into new.organization_id from ${owner} o where o.${key} = new.${by};
       return new;
     end $$`,
    ...statements,
  ]
    .map((statement) => `${statement};\n`)
    .join('');
}

const changed = [...owned.flatMap(([, tables]) => tables), 'audit_events'];

/** Adds the organization to every row that belongs to one, so that tables can be distributed by organization. */
export const organizationColumns = {
  name: '0028-organization-columns',
  locks: `lock table ${changed.join(', ')} in access exclusive mode`,
  sql: `
${owned.map(columnsOf).join('')}
-- What is done in the installation as a whole is nobody's.
create function organization_of_nobody() returns trigger language plpgsql as $$
begin
  new.organization_id := '';
  return new;
end $$;
update audit_events set organization_id = '' where organization_id is null;
alter table audit_events alter column organization_id set not null;
create trigger organization before insert on audit_events for each row
  when (new.organization_id is null) execute function organization_of_nobody();
`,
};
