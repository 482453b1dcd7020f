import { orNull, text } from '../columns.ts';
import { query } from '../query.ts';
import { type Content, removalSteps, runContents } from './removal.ts';

/** Rows `t` of the studies of a project. */
const ofStudy = (table: string): string =>
  `studies d join ${table} t on t.study_id = d.id where d.project_id = :id`;

/**
 * Tables with rows of a project, referencing tables before referenced ones, and the join that selects the rows `t` of
 * the project.
 */
export const projectContents = [
  {
    table: 'skill_files',
    from: 'skill_files t join skills s on s.id = t.skill_id where s.project_id = :id',
  },
  { table: 'skills' },
  { table: 'oauth_grants' },
  { table: 'server_connections', instead: 'set project_id = null, server_id = null' },
  { table: 'contract_baselines' },
  { table: 'tunnels' },
  { table: 'server_check_results' },
  { table: 'server_checks' },
  { table: 'webhook_deliveries' },
  { table: 'webhooks' },
  {
    table: 'conformance_reports',
    from: 'conformance_runs r join conformance_reports t on t.run_id = r.id where r.project_id = :id',
  },
  { table: 'conformance_runs' },
  { table: 'registry_connections' },
  { table: 'readiness_runs' },
  { table: 'servers' },
  { table: 'secrets' },
  { table: 'plugin_versions' },
  { table: 'plugins' },
  { table: 'clients' },
  { table: 'client_configs' },
  { table: 'server_groups' },
  ...runContents('r.project_id = :id'),
  { table: 'eval_runs' },
  { table: 'eval_cases' },
  {
    table: 'eval_suite_revisions',
    from: 'eval_suites s join eval_suite_revisions t on t.suite_id = s.id where s.project_id = :id',
  },
  { table: 'eval_suites' },
  {
    table: 'browser_entries',
    from: 'browser_sessions s join browser_entries t on t.session_id = s.id where s.project_id = :id',
  },
  { table: 'browser_sessions' },
  { table: 'browser_profiles' },
  ...['study_turns', 'study_widgets'].map((table) => ({
    table,
    from: `studies d join study_sessions s on s.study_id = d.id join ${table} t on t.session_id = s.session_id
       where d.project_id = :id`,
  })),
  ...['study_readings', 'study_visits', 'study_sessions'].map((table) => ({ table, from: ofStudy(table) })),
  {
    table: 'tool_approvals',
    from: 'chat_sessions s join tool_approvals t on t.session_id = s.id where s.project_id = :id',
  },
  {
    table: 'chat_messages',
    from: 'chat_sessions s join chat_messages t on t.session_id = s.id where s.project_id = :id',
  },
  {
    table: 'chat_turns',
    from: 'chat_sessions s join chat_turns t on t.session_id = s.id where s.project_id = :id',
  },
  { table: 'chat_sessions' },
  {
    table: 'study_grants',
    from: `studies d join study_visitors v on v.study_id = d.id join study_grants t on t.visitor_id = v.id
       where d.project_id = :id`,
  },
  {
    table: 'study_tickets',
    from: `studies d join study_members m on m.study_id = d.id join study_tickets t on t.member_id = m.id
       where d.project_id = :id`,
  },
  ...[
    'study_visitors',
    'study_members',
    'study_spending',
    'study_windows',
    'study_observations',
    'study_findings',
    'study_insights',
  ].map((table) => ({ table, from: ofStudy(table) })),
  { table: 'studies' },
  { table: 'shares' },
  { table: 'environments' },
  {
    table: 'journey_turns',
    from: `journey_runs r join journey_sessions s on s.run_id = r.id join journey_turns t on t.session_id = s.id
       where r.project_id = :id`,
  },
  ...['journey_sessions', 'journey_run_tools', 'journey_run_snapshots'].map((table) => ({
    table,
    from: `journey_runs r join ${table} t on t.run_id = r.id where r.project_id = :id`,
  })),
  { table: 'journey_runs' },
  { table: 'journeys' },
  { table: 'swarms' },
  { table: 'personas' },
  { table: 'journey_observations' },
  { table: 'journey_findings' },
  { table: 'wave_insights' },
  { table: 'artifact_links' },
  { table: 'blobs' },
  { table: 'sealed_values' },
  { table: 'project_members' },
] satisfies readonly Content[];

/** Steps that empty a project, each repeated until it deletes nothing. Served by each table's index on the project. */
export const steps = removalSteps('project-contents', projectContents, 'project_id');

/** Deletes the row of a deleted project, with rows that were added to it in the meantime. */
export const remove = query(
  'project-contents.row',
  'delete from projects where id = :id and deleted_at is not null',
  { id: text },
);
/** Deleted projects whose content is not completely removed: all, or this one. */
export const deleted = query(
  'project-contents.deleted',
  `select id from projects where deleted_at is not null and (:id::text is null or id = :id)
   order by id limit 1000`,
  { id: orNull(text) },
  { id: text },
  { index: 'projects_deleted' },
);
