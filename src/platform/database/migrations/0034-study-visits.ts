/**
 * Stores what the detectors read in each session of a window, so that an analysis reads only the sessions that have
 * changed, and counts the rest from here.
 */
export const studyVisits = {
  name: '0034-study-visits',
  sql: `
-- The sessions that the analysis of a window has counted.
create table study_visits (
  organization_id text collate "C" not null,
  study_id text collate "C" not null,
  window_id text collate "C" not null,
  session_id text collate "C" not null,
  -- As of the session when it was read.
  last_activity_at timestamptz(3) not null,
  primary key (session_id, window_id, study_id, organization_id),
  foreign key (study_id, organization_id) references studies (id, organization_id) on delete cascade,
  foreign key (session_id, organization_id) references study_sessions (session_id, organization_id) on delete cascade
);
create index study_visits_activity on study_visits (study_id, window_id, last_activity_at desc, session_id desc);

create table study_readings (
  organization_id text collate "C" not null,
  study_id text collate "C" not null,
  window_id text collate "C" not null,
  session_id text collate "C" not null,
  fingerprint text collate "C" not null,
  detector text not null,
  dimension text not null,
  subject jsonb not null,
  happened boolean not null,
  certain boolean not null,
  -- In the order in which readings are counted.
  primary key (study_id, window_id, fingerprint, happened, session_id, organization_id) include (certain),
  foreign key (session_id, window_id, study_id, organization_id)
    references study_visits (session_id, window_id, study_id, organization_id) on delete cascade
);
create index study_readings_session on study_readings (session_id, window_id);

-- When the sessions were last read for study_visits, and what the readings depend on besides the sessions. Null before
-- the first time.
alter table study_windows add column visits_read_at timestamptz(3);
alter table study_windows add column visits_basis text;
-- The window has more sessions than are counted.
alter table study_windows add column visits_truncated boolean not null default false;
`,
};
