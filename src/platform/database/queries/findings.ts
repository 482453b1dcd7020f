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

const observed = manyOf({ fingerprint: text, fired: flag, affected: integer, total: integer });

const findingColumns = {
  id: text,
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
};
export type FindingRow = RowOf<typeof findingColumns>;

const waveColumns = {
  fingerprint: text,
  waveId: text,
  at: time,
  fired: flag,
  affected: integer,
  total: integer,
};
export type WaveRow = RowOf<typeof waveColumns>;

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
const made = ['id', 'fingerprint', ...state] as const;

interface Place {
  /** Prefix of the query names. */
  name: string;
  /** Prefix of the table names. */
  tables: string;
  /** The column that references the owner. */
  owner: string;
  /** The index for the list. */
  index: string;
}

export type FindingQueries = ReturnType<typeof findingQueries>;

/** Queries for recurring findings of an owner, over its waves. Each kind of owner has its own tables. */
function findingQueries({ name, tables, owner, index }: Place) {
  const findings = table(`${tables}_findings`, findingColumns);
  const observations = `${tables}_observations`;
  const ofOwner = `${owner} = :ownerId`;
  const one = { ownerId: text, fingerprint: text };
  const some = { ownerId: text, fingerprints: texts };
  return {
    /** Serializes the analysis of an owner's waves. */
    lockForUpdate: query(
      `${name}.lock-for-update`,
      `select from pg_advisory_xact_lock(hashtextextended('${name} ' || :ownerId, 4700))`,
      { ownerId: text },
    ),
    /** Replaces the previous observations of a wave. */
    observe: query(
      `${name}.observe`,
      `insert into ${observations} (${owner}, fingerprint, wave_id, wave_at, fired, affected, total)
       select :ownerId, n.fingerprint, :waveId, :waveAt, n.fired, n.affected, n.total from ${observed.from('n')}
       on conflict on constraint ${observations}_pkey
         do update set wave_at = excluded.wave_at, fired = excluded.fired, affected = excluded.affected, total = excluded.total`,
      { ...observed.takes, ownerId: text, waveId: text, waveAt: time },
    ),
    /** Deletes observations that the wave no longer covers. */
    forget: query(
      `${name}.forget`,
      `delete from ${observations} where ${ofOwner} and wave_id = :waveId and fingerprint <> all(:fingerprints)
       returning fingerprint`,
      { ...some, waveId: text },
      { fingerprint: text },
    ),
    /** For each fingerprint: whether this wave has observed it, and when the latest other wave that did began. */
    before: query(
      `${name}.before`,
      `select f.fingerprint,
         exists (select from ${observations} o where o.${ofOwner} and o.fingerprint = f.fingerprint
           and o.wave_id = :waveId) as seen,
         (select o.wave_at from ${observations} o where o.${ofOwner} and o.fingerprint = f.fingerprint
           and o.wave_id <> :waveId order by o.wave_at desc, o.wave_id desc limit 1) as latest
       from unnest(:fingerprints::text[]) as f (fingerprint)`,
      { ...some, waveId: text },
      { fingerprint: text, seen: flag, latest: orNull(time) },
    ),
    history: query(
      `${name}.history`,
      `select wave_id as "waveId", wave_at as at, fired as fires from ${observations}
       where ${ofOwner} and fingerprint = :fingerprint order by wave_at, wave_id`,
      one,
      { waveId: text, at: time, fires: flag },
    ),
    withFingerprints: query(
      `${name}.with-fingerprints`,
      `select ${findings.all()} from ${findings.name} where ${ofOwner} and fingerprint = any(:fingerprints)`,
      some,
      findings.columns,
    ),
    /** Inserts or updates a finding. Keeps its dismissal. */
    put: query(
      `${name}.put`,
      `insert into ${findings.name} (${owner}, id, fingerprint, dimension, subject, status, occurrence_count,
         last_seen_wave_id, first_seen_at, last_seen_at, resolved_at)
       values (:ownerId, :id, :fingerprint, :dimension, :subject, :status, :occurrenceCount,
         :lastSeenWaveId, :firstSeenAt, :lastSeenAt, :resolvedAt)
       on conflict on constraint ${findings.name}_fingerprint do update set ${findings.set(state)}, updated_at = now()`,
      { ownerId: text, ...findings.pick(made) },
    ),
    /** Deletes a finding whose only occurrence was withdrawn. */
    remove: query(
      `${name}.delete`,
      `delete from ${findings.name} where ${ofOwner} and fingerprint = :fingerprint`,
      one,
    ),
    /** Findings of an owner, latest change first. */
    list: query(
      `${name}.list`,
      `select ${findings.all()} from ${findings.name}
       where ${ofOwner} and (:before::timestamptz is null or (updated_at, id) < (:before, :beforeId))
       order by updated_at desc, id desc limit :most`,
      { ownerId: text, before: orNull(time), beforeId: text, most: bigint },
      findings.columns,
      { index },
    ),
    /** The latest `most` waves that cover each fingerprint. */
    waves: query(
      `${name}.waves`,
      `select f.fingerprint, o.wave_id as "waveId", o.wave_at as at, o.fired, o.affected, o.total
       from unnest(:fingerprints::text[]) as f (fingerprint) cross join lateral (
         select * from ${observations} o where o.${ofOwner} and o.fingerprint = f.fingerprint
         order by o.wave_at desc, o.wave_id desc limit :most) o
       order by o.wave_at, o.wave_id`,
      { ...some, most: bigint },
      waveColumns,
    ),
    /** Dismisses or restores a finding. Dismissing a dismissed finding keeps its timestamp. */
    dismiss: query(
      `${name}.dismiss`,
      `update ${findings.name} set dismissed_at = case when :dismissed then coalesce(dismissed_at, now()) end
       where ${ofOwner} and id = :id returning id`,
      { ownerId: text, id: text, dismissed: flag },
      { id: text },
    ),
  };
}

export const journeyFindings = findingQueries({
  name: 'journey-findings',
  tables: 'journey',
  owner: 'project_id',
  index: 'journey_findings_project',
});
export const studyFindings = findingQueries({
  name: 'study-findings',
  tables: 'study',
  owner: 'study_id',
  index: 'study_findings_study',
});
