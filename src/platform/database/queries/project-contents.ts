import { bigint, orNull, text } from '../columns.ts';
import { query } from '../query.ts';

/** Tables with rows of a project, children before what they refer to, and how a row `t` is known to be of it. */
export const projectContents = [
  {
    table: 'skill_files',
    from: 'skill_files t join skills s on s.id = t.skill_id where s.project_id = :projectId',
  },
  { table: 'skills' },
  { table: 'oauth_grants' },
  { table: 'server_connections', instead: 'set project_id = null, server_id = null' },
  { table: 'servers' },
  { table: 'secrets' },
  { table: 'plugin_versions' },
  { table: 'plugins' },
  { table: 'clients' },
  { table: 'client_configs' },
  { table: 'server_groups' },
  { table: 'environments' },
  { table: 'eval_traces', from: ofRuns('eval_traces') },
  { table: 'eval_results', from: ofRuns('eval_results') },
  { table: 'eval_run_events', from: ofRuns('eval_run_events') },
  { table: 'eval_tally', from: ofRuns('eval_tally') },
  { table: 'eval_trials', from: ofRuns('eval_trials') },
  { table: 'eval_run_snapshots', from: ofRuns('eval_run_snapshots') },
  { table: 'eval_run_outcomes', from: ofRuns('eval_run_outcomes') },
  { table: 'eval_runs' },
  { table: 'eval_cases' },
  {
    table: 'eval_suite_revisions',
    from: 'eval_suites s join eval_suite_revisions t on t.suite_id = s.id where s.project_id = :projectId',
  },
  { table: 'eval_suites' },
  { table: 'blobs' },
  { table: 'sealed_values' },
  { table: 'project_members' },
] as const satisfies readonly Content[];

function ofRuns(table: string): string {
  return `eval_runs r join ${table} t on t.run_id = r.id where r.project_id = :projectId`;
}

interface Content {
  table: string;
  from?: string;
  /** What is done with rows that stay. */
  instead?: string;
}

/** What empties a project, step by step, each until it finds nothing. Served by each table's index on its project. */
export const steps = projectContents.map((content: Content) => {
  const { table, from = `${table} t where t.project_id = :projectId`, instead } = content;
  return query(
    `project-contents.${table}`,
    `${instead === undefined ? `delete from ${table}` : `update ${table} ${instead}`}
     where ctid = any(array(select t.ctid from ${from} limit :most))`,
    { projectId: text, most: bigint },
  );
});

/** The row itself, with whatever came in meanwhile. */
export const remove = query(
  'project-contents.row',
  'delete from projects where id = :projectId and deleted_at is not null',
  { projectId: text },
);
/** Projects that were deleted and whose content is not all gone yet: all, or this one if it is such. */
export const deleted = query(
  'project-contents.deleted',
  `select id from projects where deleted_at is not null and (:projectId::text is null or id = :projectId)
   order by id limit 1000`,
  { projectId: orNull(text) },
  { id: text },
  { index: 'projects_deleted' },
);
