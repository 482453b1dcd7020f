import { bigint, text } from '../columns.ts';
import { partitioned } from '../partitions.ts';
import { query } from '../query.ts';

/** A table with rows to remove, and the join that selects the rows `t` that belong to the removed object. */
export interface Content {
  table: string;
  /** Default: the rows are selected by a column of the table itself. */
  from?: string;
  /** An update for rows that are kept. */
  instead?: string;
  /** Tables whose rows have the same key and are deleted together. */
  along?: { tables: readonly string[]; key: string };
}

/**
 * Tables with rows of eval runs `r`. Trials come first, because results of a trial are only written while its row
 * exists.
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
    // Traces have no column for the suite or project and are found by their trial.
    ...(table === 'eval_results' && { along: { tables: ['eval_traces'], key: 'trial_id' } }),
  }));
}

/** Creates one query per table, each of which removes at most `most` rows. `column` references the removed object. */
export function removalSteps(name: string, contents: readonly Content[], column: string) {
  return contents.map(({ table, from = `${table} t where t.${column} = :id`, instead, along }) => {
    const change = instead === undefined ? `delete from ${table} d` : `update ${table} d ${instead}`;
    const step = batchByCtid(table, from, change);
    return query(`${name}.${table}`, along ? withOthers(step, along) : step, { id: text, most: bigint });
  });
}

const inParts = new Set(partitioned.map(({ table }) => table));

/**
 * Selects the rows `d` by ctid, which is fast. In a partitioned table rows of different partitions may have the same
 * ctid, so the partition is compared too.
 */
export function batchByCtid(table: string, from: string, change: string): string {
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
