import { bigint, json, orNull, type RowOf, table, text, time } from '../columns.ts';
import { query } from '../query.ts';

const outcomes = table('eval_run_outcomes', {
  runId: text,
  suiteId: text,
  runGroupId: orNull(text),
  decision: orNull(json<unknown>()),
  statistics: orNull(json<unknown>()),
  stages: orNull(json<unknown>()),
  completedAt: time,
});
export type OutcomeRow = RowOf<typeof outcomes.columns>;
export const insert = query('eval-run-outcomes.insert', outcomes.insert(), outcomes.columns);
export const ofRun = query(
  'eval-run-outcomes.of-run',
  `select ${outcomes.all()} from eval_run_outcomes where run_id = :runId`,
  { runId: text },
  outcomes.columns,
);
/** Outcomes of the runs of a suite, latest first. Served by eval_run_outcomes_suite. */
export const ofSuite = query(
  'eval-run-outcomes.of-suite',
  `select ${outcomes.all('o')} from eval_run_outcomes o
   where o.suite_id = :suiteId and o.stages is not null
     and (:from::timestamptz is null or o.completed_at >= :from) and (:to::timestamptz is null or o.completed_at <= :to)
     and (:runGroupId::text is null or o.run_group_id = :runGroupId)
     and (o.completed_at, o.run_id) < (:beforeTime, :beforeId)
   order by o.completed_at desc, o.run_id desc limit :most`,
  {
    suiteId: text,
    from: orNull(time),
    to: orNull(time),
    runGroupId: orNull(text),
    beforeTime: time,
    beforeId: text,
    most: bigint,
  },
  outcomes.columns,
  { index: 'eval_run_outcomes_suite' },
);
