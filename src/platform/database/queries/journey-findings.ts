import {
  bigint,
  flag,
  integer,
  json,
  manyOf,
  oneOf,
  orNull,
  type RowOf,
  table,
  text,
  texts,
  time,
} from '../columns.ts';
import { query } from '../query.ts';

/** The waves of a project are looked at one after the other. */
export const lineUp = query(
  'journey-findings.line-up',
  `select from pg_advisory_xact_lock(hashtextextended('journey-findings ' || :projectId, 4700))`,
  { projectId: text },
);

const observation = {
  fingerprint: text,
  fired: flag,
  affected: integer,
  total: integer,
};
const observed = manyOf(observation);
/** What a wave shows now, instead of what it showed when fewer of its runs were over. */
export const observe = query(
  'journey-findings.observe',
  `insert into journey_observations (project_id, fingerprint, wave_id, wave_at, fired, affected, total)
   select :projectId, n.fingerprint, :waveId, :waveAt, n.fired, n.affected, n.total from ${observed.from('n')}
   on conflict (project_id, fingerprint, wave_id)
     do update set wave_at = excluded.wave_at, fired = excluded.fired, affected = excluded.affected, total = excluded.total`,
  { ...observed.takes, projectId: text, waveId: text, waveAt: time },
);
/** Of each fingerprint: whether this wave was looked at before, and when the latest of the others was launched. */
export const before = query(
  'journey-findings.before',
  `select f.fingerprint,
     exists (select from journey_observations o where o.project_id = :projectId and o.fingerprint = f.fingerprint
       and o.wave_id = :waveId) as seen,
     (select o.wave_at from journey_observations o where o.project_id = :projectId and o.fingerprint = f.fingerprint
       and o.wave_id <> :waveId order by o.wave_at desc, o.wave_id desc limit 1) as latest
   from unnest(:fingerprints::text[]) as f (fingerprint)`,
  { projectId: text, waveId: text, fingerprints: texts },
  { fingerprint: text, seen: flag, latest: orNull(time) },
);
export const history = query(
  'journey-findings.history',
  `select wave_id as "waveId", wave_at as at, fired as fires from journey_observations
   where project_id = :projectId and fingerprint = :fingerprint order by wave_at, wave_id`,
  { projectId: text, fingerprint: text },
  { waveId: text, at: time, fires: flag },
);

const findings = table('journey_findings', {
  id: text,
  projectId: text,
  fingerprint: text,
  dimension: text,
  subject: json<unknown>(),
  status: oneOf<'new' | 'recurring' | 'regressed' | 'resolved'>(),
  occurrenceCount: integer,
  lastSeenWaveId: text,
  firstSeenAt: time,
  lastSeenAt: time,
  resolvedAt: orNull(time),
  dismissedAt: orNull(time),
  updatedAt: time,
});
export type FindingRow = RowOf<typeof findings.columns>;

export const withFingerprints = query(
  'journey-findings.with-fingerprints',
  `select ${findings.all()} from journey_findings where project_id = :projectId and fingerprint = any(:fingerprints)`,
  { projectId: text, fingerprints: texts },
  findings.columns,
);
const state = [
  'dimension',
  'subject',
  'status',
  'occurrenceCount',
  'lastSeenWaveId',
  'firstSeenAt',
  'lastSeenAt',
  'resolvedAt',
] as const;
const made = ['id', 'projectId', 'fingerprint', ...state] as const;
/** Whether it was dismissed is another matter. */
export const put = query(
  'journey-findings.put',
  `${findings.insert(made)}
   on conflict (project_id, fingerprint) do update set ${findings.set(state)}, updated_at = now()`,
  findings.pick(made),
);
/** One whose only occurrence turned out to be none. */
export const remove = query(
  'journey-findings.delete',
  'delete from journey_findings where project_id = :projectId and fingerprint = :fingerprint',
  { projectId: text, fingerprint: text },
);
/** The latest change first. */
export const list = query(
  'journey-findings.list',
  `select ${findings.all()} from journey_findings
   where project_id = :projectId and (:before::timestamptz is null or (updated_at, id) < (:before, :beforeId))
   order by updated_at desc, id desc limit :most`,
  { projectId: text, before: orNull(time), beforeId: text, most: bigint },
  findings.columns,
  { index: 'journey_findings_project' },
);
/** The latest waves that cover each of these. */
export const waves = query(
  'journey-findings.waves',
  `select f.fingerprint, o.wave_id as "waveId", o.wave_at as at, o.fired, o.affected, o.total
   from unnest(:fingerprints::text[]) as f (fingerprint) cross join lateral (
     select * from journey_observations o where o.project_id = :projectId and o.fingerprint = f.fingerprint
     order by o.wave_at desc, o.wave_id desc limit :most) o
   order by o.wave_at, o.wave_id`,
  { projectId: text, fingerprints: texts, most: bigint },
  { fingerprint: text, waveId: text, at: time, fired: flag, affected: integer, total: integer },
);
export type WaveRow = RowOf<typeof waves.gives>;
/** Says so again to one that is in this state already. */
export const dismiss = query(
  'journey-findings.dismiss',
  `update journey_findings set dismissed_at = case when :dismissed then coalesce(dismissed_at, now()) end
   where project_id = :projectId and id = :id returning id`,
  { projectId: text, id: text, dismissed: flag },
  { id: text },
);
