import { bigint, flag, integer, json, manyOf, orNull, text, texts, time } from '../columns.ts';
import { query } from '../query.ts';

/** The counted sessions of a window, and what the detectors read in each. */

const window = { studyId: text, windowId: text };
const ofWindow = 'study_id = :studyId and window_id = :windowId';

const visits = manyOf({ sessionId: text, lastActivityAt: time });
/** Skips sessions that were deleted since they were read. */
export const add = query(
  'study-visits.add',
  `insert into study_visits (organization_id, study_id, window_id, session_id, last_activity_at)
   select s.organization_id, s.study_id, :windowId, s.session_id, n.last_activity_at
   from ${visits.from('n')} join study_sessions s on s.session_id = n.session_id and s.study_id = :studyId
   for key share of s`,
  { ...window, ...visits.takes },
);
const readings = manyOf({
  sessionId: text,
  fingerprint: text,
  detector: text,
  dimension: text,
  subject: json<unknown>(),
  happened: flag,
  certain: flag,
});
export const addReadings = query(
  'study-visits.add-readings',
  `insert into study_readings (organization_id, study_id, window_id, session_id, fingerprint, detector, dimension, subject,
     happened, certain)
   select v.organization_id, v.study_id, v.window_id, v.session_id, n.fingerprint, n.detector, n.dimension, n.subject,
     n.happened, n.certain
   from ${readings.from('n')}
     join study_visits v on v.session_id = n.session_id and v.study_id = :studyId and v.window_id = :windowId`,
  { ...window, ...readings.takes },
);
/** Deletes sessions with their readings. */
export const forget = query(
  'study-visits.forget',
  `delete from study_visits where ${ofWindow} and session_id = any(:sessionIds)`,
  { ...window, sessionIds: texts },
);
export const forgetAll = query(
  'study-visits.forget-all',
  `delete from study_visits where ${ofWindow}`,
  window,
);
/** Deletes the oldest sessions beyond `most`. */
export const trim = query(
  'study-visits.trim',
  `delete from study_visits where ${ofWindow} and session_id = any(array(
     select session_id from study_visits where ${ofWindow}
     order by last_activity_at desc, session_id desc offset :most))`,
  { ...window, most: bigint },
);

export const count = query(
  'study-visits.count',
  `select count(*)::int as sessions from study_visits where ${ofWindow}`,
  window,
  { sessions: integer },
);
const ofSubject = `${ofWindow} and fingerprint = f.fingerprint`;
/**
 * Counts readings, with the first sessions by id in which the problem happened, and in which it did not. The subject is
 * that of the first session of all.
 */
export const tallies = query(
  'study-visits.tallies',
  `select f.fingerprint, r.detector, r.dimension, r.subject, f.affected, f.total, f.certain,
     e.happened as "evidenceSessionIds", e.clear as "contrastSessionIds"
   from (select fingerprint, (count(*) filter (where happened))::int as affected, count(*)::int as total,
       bool_or(certain) as certain
     from study_readings where ${ofWindow} group by fingerprint) f
   cross join lateral (select
     array(select session_id from study_readings where ${ofSubject} and happened order by session_id limit :maxEvidence)
       as happened,
     array(select session_id from study_readings where ${ofSubject} and not happened order by session_id limit :maxContrast)
       as clear) e
   cross join lateral (select detector, dimension, subject from study_readings
     where ${ofSubject} and session_id = least(e.happened[1], e.clear[1])
       and happened = (e.happened[1] is not distinct from least(e.happened[1], e.clear[1])) limit 1) r`,
  { ...window, maxEvidence: bigint, maxContrast: bigint },
  {
    fingerprint: text,
    detector: text,
    dimension: text,
    subject: json<unknown>(),
    affected: integer,
    total: integer,
    certain: orNull(flag),
    evidenceSessionIds: texts,
    contrastSessionIds: texts,
  },
);
