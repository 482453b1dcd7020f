import { flag, integer, json, orNull, type RowOf, table, text, time } from '../columns.ts';
import { query } from '../query.ts';

const windows = table('study_windows', {
  studyId: text,
  id: text,
  startAt: time,
  analysedAt: time,
  sessions: integer,
  signals: json<unknown>(),
  /** When the sessions of `study_visits` were last read; null if they never were. */
  visitsReadAt: orNull(time),
  /** Inputs of the readings besides the sessions. */
  visitsBasis: orNull(text),
  /** The window has more sessions than are counted. */
  visitsTruncated: flag,
});
export type WindowRow = RowOf<typeof windows.columns>;

/** The clock of the database, which also dates activity. */
export const now = query('study-windows.now', 'select now() as at', {}, { at: time });

export const find = query(
  'study-windows.find',
  `select ${windows.all()} from study_windows where study_id = :studyId and id = :id`,
  { studyId: text, id: text },
  windows.columns,
);
export const latest = query(
  'study-windows.latest',
  `select ${windows.all()} from study_windows where study_id = :studyId order by start_at desc limit 1`,
  { studyId: text },
  windows.columns,
  { index: 'study_windows_order' },
);
const counted = [
  'analysedAt',
  'sessions',
  'signals',
  'visitsReadAt',
  'visitsBasis',
  'visitsTruncated',
] as const;
/** Stores a window. Writes no row if a later analysis was stored first. */
export const put = query(
  'study-windows.put',
  `${windows.insert()} on conflict on constraint study_windows_pkey
     do update set ${windows.set(counted)}
     where study_windows.analysed_at <= :analysedAt`,
  windows.columns,
);
/** Makes the next analysis read all sessions of the window. */
export const startOver = query(
  'study-windows.start-over',
  'update study_windows set visits_basis = null where study_id = :studyId and id = :id',
  windows.pick(['studyId', 'id']),
);
/** The latest window with insights. IDs sort by time. */
export const latestWithInsights = query(
  'study-windows.latest-with-insights',
  `select wave_id as "waveId" from study_insights where study_id = :studyId and insights is not null
   order by wave_id desc limit 1`,
  { studyId: text },
  { waveId: text },
);
