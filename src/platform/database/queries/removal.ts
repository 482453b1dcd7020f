import { bigint, text } from '../columns.ts';
import { partitioned } from '../partitions.ts';
import { query } from '../query.ts';

/** A table with rows of something that is removed, and how a row `t` is known to be of it. */
export interface Content {
  table: string;
  /** Left out, the row says itself whose it is. */
  from?: string;
  /** An update for rows that are kept. */
  instead?: string;
  /** Tables whose rows have the same key, and go with them. */
  along?: { tables: readonly string[]; key: string };
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
    'eval_results',
    'eval_tally',
    'eval_run_events',
    'eval_run_snapshots',
    'eval_run_outcomes',
    'eval_gate_waivers',
    'eval_case_evaluations',
    'eval_artifact_refs',
  ].map((table) => ({
    table,
    from: `eval_runs r join ${table} t on t.run_id = r.id where ${ofRun}`,
    // Traces are found by their trial alone.
    ...(table === 'eval_results' && { along: { tables: ['eval_traces'], key: 'trial_id' } }),
  }));
}

/** One query for each table, which removes so many rows at most. `column` says whose a row is. */
export function removalSteps(name: string, contents: readonly Content[], column: string) {
  return contents.map(({ table, from = `${table} t where t.${column} = :id`, instead, along }) => {
    const change = instead === undefined ? `delete from ${table} d` : `update ${table} d ${instead}`;
    const step = overPicked(table, from, change);
    return query(`${name}.${table}`, along ? withOthers(step, along) : step, { id: text, most: bigint });
  });
}

const inParts = new Set(partitioned.map(({ table }) => table));

/** Rows `d` by where they lie; in a table of several parts rows of different parts lie at the same place. */
export function overPicked(table: string, from: string, change: string): string {
  if (!inParts.has(table))
    return `${change} where d.ctid = any(array(select t.ctid from ${from} limit :most))`;
  return `with picked as materialized (select t.tableoid as part, t.ctid as place from ${from} limit :most)
     ${change} where d.ctid = any(array(select place from picked))
       and (d.tableoid, d.ctid) in (select part, place from picked)`;
}

function withOthers(step: string, { tables, key }: NonNullable<Content['along']>): string {
  const others = tables.map(
    (other, n) => `, also${n} as (delete from ${other} where ${key} = any(array(select ${key} from gone)))`,
  );
  return `with gone as (${step} returning d.${key}) ${others.join('')} select from gone`;
}
