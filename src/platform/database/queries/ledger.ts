import { bigint, float, integer, table, text } from '../columns.ts';
import { lockOn } from '../common-queries.ts';
import { query } from '../query.ts';

const account = { organizationId: text, budget: text, period: text };
const entries = table('ledger_entries', {
  ...account,
  position: integer,
  amount: float,
  total: float,
  reason: text,
  actor: text,
});

/** Serializes bookings of an organization and budget, so that running totals stay in order. */
export const lock = lockOn('ledger.lock', ":organizationId || ' ' || :budget", {
  organizationId: text,
  budget: text,
});
/** Reads the primary key backwards: one row, however long the ledger is. */
export const last = query(
  'ledger.last',
  `select position, total from ledger_entries
   where organization_id = :organizationId and budget = :budget and period = :period
   order by position desc limit 1`,
  account,
  entries.pick(['position', 'total']),
  { index: 'ledger_entries_pkey' },
);
/** Age in seconds of the entry that is `back` entries before the last one. */
export const ageOf = query(
  'ledger.age-of',
  `select extract(epoch from now() - at)::float8 as seconds from ledger_entries
   where organization_id = :organizationId and budget = :budget and period = :period
   order by position desc offset :back limit 1`,
  { ...account, back: bigint },
  { seconds: float },
  { index: 'ledger_entries_pkey' },
);
export const append = query('ledger.append', entries.insert(), entries.columns);
