import { bigint, text } from '../columns.ts';
import { query } from '../query.ts';

/** A table with rows of something that is removed, and how a row `t` is known to be of it. */
export interface Content {
  table: string;
  /** Left out, the row says itself whose it is. */
  from?: string;
  /** What is done with rows that stay. */
  instead?: string;
}

/**
 * Tables with rows of eval runs `r`. Trials come first: what is recorded of one is written only while its row is there.
 */
export function runContents(ofRun: string): Content[] {
  return [
    'eval_trials',
    'eval_backtest_pages',
    'eval_backtests',
    'eval_judged_trials',
    'eval_run_judgements',
    'eval_run_insights',
    'eval_traces',
    'eval_results',
    'eval_tally',
    'eval_run_events',
    'eval_run_snapshots',
    'eval_run_outcomes',
    'eval_gate_waivers',
    'eval_case_evaluations',
    'eval_artifact_refs',
  ].map((table) => ({ table, from: `eval_runs r join ${table} t on t.run_id = r.id where ${ofRun}` }));
}

/** One query for each table, which removes so many rows at most. `column` says whose a row is. */
export function removalSteps(name: string, contents: readonly Content[], column: string) {
  return contents.map(({ table, from = `${table} t where t.${column} = :id`, instead }) =>
    query(
      `${name}.${table}`,
      `${instead === undefined ? `delete from ${table}` : `update ${table} ${instead}`}
       where ctid = any(array(select t.ctid from ${from} limit :most))`,
      { id: text, most: bigint },
    ),
  );
}
