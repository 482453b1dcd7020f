import { orNull, text } from '../columns.ts';
import { query } from '../query.ts';
import { removalSteps, runContents } from './removal.ts';

const ofRun = 'r.suite_id = :id';

/** Steps that empty a suite, each repeated until it deletes nothing. */
export const steps = removalSteps(
  'eval-suite-contents',
  [
    {
      table: 'blobs',
      from: `eval_runs r join eval_results s on s.run_id = r.id join eval_traces c on c.trial_id = s.trial_id
        join blobs t on t.id = c.blob_id where ${ofRun}`,
    },
    ...runContents(ofRun),
    { table: 'eval_runs' },
    { table: 'eval_cases' },
    { table: 'eval_suite_revisions' },
  ],
  'suite_id',
);

/** Deletes the row of a deleted suite, with rows that were added to it in the meantime. */
export const remove = query(
  'eval-suite-contents.row',
  'delete from eval_suites where id = :id and deleted_at is not null',
  { id: text },
);
/** Deleted suites whose content is not completely removed: all, or this one. */
export const deleted = query(
  'eval-suite-contents.deleted',
  `select id from eval_suites where deleted_at is not null and (:id::text is null or id = :id)
   order by id limit 1000`,
  { id: orNull(text) },
  { id: text },
  { index: 'eval_suites_deleted' },
);
