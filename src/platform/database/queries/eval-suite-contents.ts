import { bigint, orNull, text } from '../columns.ts';
import { query } from '../query.ts';

/** Tables with rows of a suite, children before what they refer to, and how a row `t` is known to be of it. */
const contents: { table: string; from: string }[] = [
  {
    table: 'blobs',
    from: `blobs t join eval_traces c on c.blob_id = t.id join eval_runs r on r.id = c.run_id
       where r.suite_id = :suiteId`,
  },
  { table: 'eval_traces', from: ofRuns('eval_traces') },
  { table: 'eval_results', from: ofRuns('eval_results') },
  { table: 'eval_run_events', from: ofRuns('eval_run_events') },
  { table: 'eval_tally', from: ofRuns('eval_tally') },
  { table: 'eval_trials', from: ofRuns('eval_trials') },
  { table: 'eval_run_snapshots', from: ofRuns('eval_run_snapshots') },
  { table: 'eval_run_outcomes', from: ofRuns('eval_run_outcomes') },
  { table: 'eval_runs', from: 'eval_runs t where t.suite_id = :suiteId' },
  { table: 'eval_cases', from: 'eval_cases t where t.suite_id = :suiteId' },
  { table: 'eval_suite_revisions', from: 'eval_suite_revisions t where t.suite_id = :suiteId' },
];

function ofRuns(table: string): string {
  return `eval_runs r join ${table} t on t.run_id = r.id where r.suite_id = :suiteId`;
}

/** What empties a suite, step by step, each until it finds nothing. */
export const steps = contents.map(({ table, from }) =>
  query(
    `eval-suite-contents.${table}`,
    `delete from ${table} where ctid = any(array(select t.ctid from ${from} limit :most))`,
    { suiteId: text, most: bigint },
  ),
);
/** The row itself, with whatever came in meanwhile. */
export const remove = query(
  'eval-suite-contents.row',
  'delete from eval_suites where id = :suiteId and deleted_at is not null',
  { suiteId: text },
);
/** Suites that were deleted and whose content is not all gone yet: all, or this one if it is such. */
export const deleted = query(
  'eval-suite-contents.deleted',
  `select id from eval_suites where deleted_at is not null and (:suiteId::text is null or id = :suiteId)
   order by id limit 1000`,
  { suiteId: orNull(text) },
  { id: text },
  { index: 'eval_suites_deleted' },
);
