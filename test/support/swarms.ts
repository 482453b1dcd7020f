import type pg from 'pg';
import type { TestService } from './service.ts';

export const rubric = {
  criteria: [{ id: 'lists', predicate: { type: 'toolCalledAtLeastOnce', toolName: 'list_ships' } }],
};
/** A persona that asks two questions and ends the session. */
export const twoQuestions = (turn: number): object =>
  turn < 2 ? { message: `Question ${turn}` } : { endSession: true };

interface StoredTally {
  status: string;
  total: number;
  ended: number;
  open: number;
  held: number;
  rows: number;
}
/** The stored counts of a run, and of the states of its sessions. */
export async function tallyOf(database: pg.Client, runId: string): Promise<StoredTally> {
  const { rows } = await database.query<StoredTally>(
    `select r.status, r.total, r.succeeded + r.failed + r.rate_limited as ended, count(*)::int as rows,
       count(*) filter (where s.status in ('pending', 'running'))::int as open,
       count(*) filter (where s.state in ('waiting', 'running') or s.due_at is not null)::int as held
     from journey_runs r join journey_sessions s on s.run_id = r.id where r.id = $1
     group by r.id, r.organization_id`,
    [runId],
  );
  return rows[0] as StoredTally;
}
/** No session is held by a worker, or can be taken. */
export const settled = { open: 0, held: 0 };

/** Warnings and errors that the service has logged since then. */
export function warnings({ logs }: TestService, from: number): string[] {
  return logs.slice(from).filter((line) => /"level":"(error|warn)"/.test(line));
}

/** Resets the daily limit of launches. */
export async function forgetLaunches(database: pg.Client): Promise<void> {
  await database.query(`delete from ledger_entries where budget = 'journeyLaunchesPerDay'`);
}

export function latch(): { opened: Promise<void>; open: () => void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}
