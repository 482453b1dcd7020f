import { ask, type Output, useQuery } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { type Day, Days } from '../../charts/days.tsx';
import { Rate } from '../../charts/rate.tsx';
import common from '../../kit/common.module.css';
import { Note } from '../../kit/notice.tsx';
import { count, counted } from '../../kit/numbers.ts';
import { Facts } from '../../kit/page.tsx';
import { QueryState } from '../../kit/query-state.tsx';
import { duration } from '../../kit/time.tsx';
import { byDay } from './by-day.ts';
import css from './studies.module.css';
import type { Study } from './study.ts';

type Counted = Output<'getStudyMetrics'>;
type Population = Counted['population'];

const words: Record<Population, { title: string; none: string }> = {
  real: { title: 'People', none: 'No sessions yet.' },
  synthetic: {
    title: 'Simulated',
    none: 'No journeys have run in this environment, so there is nothing to compare with.',
  },
};

/** Session metrics, either of visitors or of journeys in the same environment. */
export function Metrics({ study, population }: { study: Study; population: Population }) {
  const input = { projectId: study.projectId, studyId: study.id, population };
  const metrics = useQuery(ask('getStudyMetrics', input));
  const { title, none } = words[population];
  return (
    <section className={common.narrowColumn} aria-label={title}>
      <header className={css.line}>
        <h3>{title}</h3>
        <ApiExample operation="getStudyMetrics" input={input} />
      </header>
      <QueryState of={metrics} lines={4} missing={<Note>{none}</Note>} />
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
          ['Messages without a reply', unansweredTurns > 0 ? count(unansweredTurns) : 'none'],
          ['Reply time', turnMs.median === null ? undefined : duration(turnMs.median)],
          ['Reply time, p95', turnMs.p95 === null ? undefined : duration(turnMs.p95)],
          ['Tool calls', count(toolCalls)],
          [
            'Failed tool calls',
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
      {scan.truncated && <Note>Only the latest {counted(scan.sessions, 'session')} are counted.</Note>}
    </>
  );
}

function ByDay({ title, what, unit, days }: { title: string; what: string; unit: string; days: Day[] }) {
  return (
    <div>
      <p className={common.soft}>{what} by day (UTC)</p>
      <Days label={`${title}: ${what.toLowerCase()} by day`} unit={unit} days={days} />
    </div>
  );
}
