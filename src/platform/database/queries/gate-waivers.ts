import { float, orNull, type RowOf, table, text, time } from '../columns.ts';
import { query } from '../query.ts';

const made = {
  id: text,
  suiteId: text,
  runId: text,
  reason: text,
  expiresAt: time,
  createdBy: text,
  minimumPassRate: orNull(float),
};
const waivers = table('eval_gate_waivers', {
  ...made,
  createdAt: time,
  revokedAt: orNull(time),
  revokedBy: orNull(text),
});
const shown = { ...waivers.columns, createdByEmail: orNull(text) };
export type WaiverRow = RowOf<typeof shown>;

/** Adds the current email address of the creator. */
const withAuthor = (from: string): string =>
  `select ${waivers.all('w')}, u.email as "createdByEmail" from ${from} w left join users u on u.id = w.created_by`;

/** The latest waiver of a run. */
export const ofRun = query(
  'gate-waivers.of-run',
  `${withAuthor('eval_gate_waivers')} where w.run_id = :runId order by w.created_at desc, w.id desc limit 1`,
  { runId: text },
  shown,
  { index: 'eval_gate_waivers_run' },
);
export const find = query(
  'gate-waivers.find',
  `${withAuthor('eval_gate_waivers')} where w.run_id = :runId and w.id = :id`,
  { runId: text, id: text },
  shown,
);
export const insert = query(
  'gate-waivers.insert',
  waivers.insert(Object.keys(made) as (keyof typeof made)[]),
  made,
);
/** Returns no row if the waiver was already revoked. */
export const revoke = query(
  'gate-waivers.revoke',
  `update eval_gate_waivers set revoked_at = now(), revoked_by = :revokedBy
   where id = :id and revoked_at is null returning id`,
  { id: text, revokedBy: text },
  { id: text },
);
