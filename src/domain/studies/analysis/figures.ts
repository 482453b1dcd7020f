import { Refusal } from '../../../contract/errors.ts';
import type { Operations } from '../../../contract/index.ts';
import type { OutputOf } from '../../../contract/operation.ts';
import { utcDay } from '../../../platform/clock.ts';
import type { RowOf } from '../../../platform/database/columns.ts';
import * as figures from '../../../platform/database/queries/study-figures.ts';
import * as sessions from '../../../platform/database/queries/study-sessions.ts';
import type { Verb } from '../../context/verb.ts';
import { microsPerCredit } from '../../limits/spend-cap.ts';
import { studyOf } from '../sessions.ts';

type Metrics = OutputOf<Operations['getStudyMetrics']>;
type Day = RowOf<typeof figures.visitsByDay.gives>;

/** Maximum number of sessions counted, and days shown. */
const maxSessions = 5_000;
const maxDays = 90;

export const getStudyMetrics: Verb<'getStudyMetrics'> = (context, { studyId, population }) =>
  context.db.snapshot(async (db) => {
    const { id, projectId, environmentId } = await studyOf({ db, project: context.project }, studyId);
    if (population === 'real') {
      const ofVisits = { studyId: id, most: maxSessions };
      const days = await db.rows(figures.visitsByDay, ofVisits);
      if (days.length === 0) throw nobodyYet();
      return metricsOf(population, days, await db.one(figures.spreadOfVisits, ofVisits));
    }
    const played = { projectId, environmentId, most: maxSessions };
    const days = await db.rows(figures.playedByDay, played);
    if (days.length === 0)
      throw new Refusal(
        'NOT_FOUND',
        'No journey has run in the environment of this study. Launch one there first',
      );
    return metricsOf(population, days, { visitors: null, ...(await db.one(figures.spreadOfPlayed, played)) });
  });

function nobodyYet(): Refusal {
  return new Refusal('NOT_FOUND', 'This study has no sessions yet. Share its link first');
}

function metricsOf(
  population: Metrics['population'],
  days: readonly Day[],
  spread: RowOf<typeof figures.spreadOfPlayed.gives> & { visitors: number | null },
): Metrics {
  const sum = (field: Exclude<keyof Day, 'dayStartMs'>): number =>
    days.reduce((total, day) => total + day[field], 0);
  const toolCalls = sum('calls');
  const failedToolCalls = sum('failed');
  const { median, p95, visitors, truncated } = spread;
  return {
    population,
    sessions: sum('sessions'),
    visitors,
    turns: sum('turns'),
    toolCalls,
    failedToolCalls,
    toolFailureRate: toolCalls === 0 ? null : failedToolCalls / toolCalls,
    unansweredTurns: sum('unanswered'),
    turnMs: { median, p95 },
    thumbsUp: sum('thumbsUp'),
    thumbsDown: sum('thumbsDown'),
    days: days.slice(-maxDays).map(({ dayStartMs, sessions: begun, turns, thumbsUp, thumbsDown }) => ({
      dayStartMs,
      sessions: begun,
      turns,
      thumbsUp,
      thumbsDown,
    })),
    scan: { sessions: sum('sessions'), truncated },
  };
}

export const getStudyUsage: Verb<'getStudyUsage'> = (context, { studyId }) =>
  context.db.snapshot(async (db) => {
    const study = await studyOf({ db, project: context.project }, studyId);
    const ofVisits = { studyId: study.id, most: maxSessions };
    const shares = await db.rows(figures.shares, ofVisits);
    if (shares.length === 0) throw nobodyYet();
    const shareOf = (facet: string) =>
      shares.filter((share) => share.facet === facet).map(({ name, count }) => ({ name, count }));
    const { inputTokens, outputTokens, micros } = await db.one(figures.spending, ofVisits);
    const { sessions: counted, truncated } = await db.one(figures.spreadOfVisits, ofVisits);
    const day = utcDay(context.clock());
    const today = await db.row(sessions.spent, { studyId: study.id, day });
    return {
      sessions: counted,
      inputTokens,
      outputTokens,
      credits: micros / microsPerCredit,
      guestCreditsToday: (today?.micros ?? 0) / microsPerCredit,
      tools: await db.rows(figures.tools, ofVisits),
      models: shareOf('model'),
      devices: shareOf('device'),
      languages: shareOf('language'),
      segments: shareOf('segment'),
      scan: { sessions: counted, truncated },
    };
  });
