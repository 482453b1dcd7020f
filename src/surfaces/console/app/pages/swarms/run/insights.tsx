import { Link } from '@tanstack/react-router';
import { api, ask, useQuery } from '../../../api/index.ts';
import { isNotFound } from '../../../api/problem.ts';
import { ApiExample } from '../../../api-example/api-example.tsx';
import { InsightsSection } from '../../../kit/insights-section.tsx';
import { QueryError } from '../../../kit/query-state.tsx';
import type { JourneyRun } from '../states.ts';
import css from '../swarms.module.css';
import { Found } from './found.tsx';

/** Poll interval in milliseconds while insights are pending. */
const pollEvery = 2_000;

export function Insights({ run }: { run: JourneyRun }) {
  const { projectId, id: journeyRunId, waveId = journeyRunId } = run;
  const which = { projectId, waveId };
  const insights = useQuery({
    ...ask('getWaveInsights', which),
    enabled: run.insights?.status !== 'not_requested',
    refetchInterval: ({ state }) => (state.data?.status === 'pending' ? pollEvery : false),
  });
  const never = run.insights?.status === 'not_requested' || isNotFound(insights.error);
  const body = never ? {} : { force: true };
  const read = insights.data;
  return (
    <InsightsSection
      example={<ApiExample operation="requestWaveInsights" input={{ ...which, body }} />}
      asked={!never}
      verb="Find common causes"
      about="Summarizes the failures in this wave's sessions, with causes from a model."
      pending={read?.status === 'pending'}
      problem={read?.errorMessage}
      request={() => api.requestWaveInsights({ ...which, body })}
      stop={() => api.cancelWaveInsights(which)}
    >
      {!never && <QueryError of={insights} />}
      {read?.status === 'completed' && (
        <Found insights={read.insights} discovery={read.discovery} at={read.updatedAt}>
          {(sessionIds) => <Evidence run={run} sessionIds={sessionIds} />}
        </Found>
      )}
    </InsightsSection>
  );
}

/** Links to example sessions. */
function Evidence({ run, sessionIds }: { run: JourneyRun; sessionIds: readonly string[] }) {
  const own = new Set(run.attempts?.map(({ chatSessionId }) => chatSessionId));
  const { projectId, id: journeyRunId } = run;
  if (sessionIds.length === 0) return null;
  return (
    <ul className={css.evidence} aria-label="Example sessions">
      {sessionIds.map((sessionId, at) => (
        <li key={sessionId}>
          {own.has(sessionId) ? (
            <Link
              to="/projects/$projectId/swarms/runs/$journeyRunId/sessions/$sessionId"
              params={{ projectId, journeyRunId, sessionId }}
            >
              session {at + 1}
            </Link>
          ) : (
            <Link to="/projects/$projectId/sessions/$sessionId" params={{ projectId, sessionId }}>
              session {at + 1}, another run
            </Link>
          )}
        </li>
      ))}
    </ul>
  );
}
