import { useQuery } from '@tanstack/react-query';
import type { Output } from '../../../../client/index.ts';
import { ask } from '../../api/ask.ts';
import { type Day, Days } from '../../charts/days.tsx';
import { Rate } from '../../charts/rate.tsx';
import { Note, Problem, Skeleton } from '../../kit/notice.tsx';
import { count, counted } from '../../kit/numbers.ts';
import { Facts } from '../../kit/page.tsx';
import { duration } from '../../kit/time.tsx';
import { Same } from '../../same/same.tsx';
import { byDay } from './by-day.ts';
import css from './studies.module.css';
import { isMissing, type Study } from './study.ts';

type Counted = Output<'getStudyMetrics'>;
type Population = Counted['population'];

const words: Record<Population, { title: string; none: string }> = {
  real: { title: 'People', none: 'Nobody has chatted yet.' },
  synthetic: {
    title: 'Played by models',
    none: 'No journey was run in this environment yet, so there is nothing to hold people against.',
  },
};

/** How sessions went: those of people who came by the link, or of journeys in the same environment. */
export function Metrics({ study, population }: { study: Study; population: Population }) {
  const input = { projectId: study.projectId, studyId: study.id, population };
  const metrics = useQuery(ask('getStudyMetrics', input));
  const { title, none } = words[population];
  return (
    <section className={css.told} aria-label={title}>
      <header className={css.line}>
        <h3>{title}</h3>
        <Same operation="getStudyMetrics" input={input} />
      </header>
      {metrics.isPending && <Skeleton lines={4} />}
      {isMissing(metrics.error) ? (
        <Note>{none}</Note>
      ) : (
        metrics.isError && <Problem error={metrics.error} retry={() => void metrics.refetch()} />
      )}
      {metrics.data && <Shown metrics={metrics.data} title={title} />}
    </section>
  );
}

function Shown({ metrics, title }: { metrics: Counted; title: string }) {
  const { sessions, visitors, turns, toolCalls, failedToolCalls, unansweredTurns, turnMs } = metrics;
  const { thumbsUp, thumbsDown, days, scan } = metrics;
  const thumbs = thumbsUp + thumbsDown;
  return (
    <>
      <Facts
        facts={[
          ['Sessions', count(sessions)],
          ['Visitors', visitors === null ? undefined : count(visitors)],
          ['Messages', count(turns)],
          ['Without a reply', unansweredTurns > 0 ? count(unansweredTurns) : 'none'],
          ['Reply takes', turnMs.median === null ? undefined : duration(turnMs.median)],
          ['19 of 20 within', turnMs.p95 === null ? undefined : duration(turnMs.p95)],
          ['Tool calls', count(toolCalls)],
          [
            'Tool calls that failed',
            toolCalls > 0 ? <Rate key="failed" passed={failedToolCalls} trials={toolCalls} /> : undefined,
          ],
          ['Thumbs up', thumbs > 0 ? <Rate key="thumbs" passed={thumbsUp} trials={thumbs} /> : undefined],
        ]}
      />
      {days.length > 0 && (
        <ByDay title={title} what="Sessions" unit="sessions" days={byDay(days, (day) => day.sessions)} />
      )}
      {thumbsDown > 0 && (
        <ByDay
          title={title}
          what="Thumbs down"
          unit="thumbs down"
          days={byDay(days, (day) => day.thumbsDown)}
        />
      )}
      {scan.truncated && <Note>The latest {counted(scan.sessions, 'session')} were counted.</Note>}
    </>
  );
}

function ByDay({ title, what, unit, days }: { title: string; what: string; unit: string; days: Day[] }) {
  return (
    <div>
      <p className={css.soft}>{what} by day (UTC)</p>
      <Days label={`${title}: ${what.toLowerCase()} by day`} unit={unit} days={days} />
    </div>
  );
}
