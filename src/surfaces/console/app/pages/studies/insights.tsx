import { api, ask, type Output, useQuery } from '../../api/index.ts';
import { isNotFound } from '../../api/problem.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { InsightsSection } from '../../kit/insights-section.tsx';
import { Note } from '../../kit/notice.tsx';
import { QueryError } from '../../kit/query-state.tsx';
import { Time } from '../../kit/time.tsx';
import { Found } from '../swarms/run/found.tsx';
import { Evidence } from './evidence.tsx';

/** Poll interval in milliseconds while insights are pending. */
const pollEvery = 2_000;

export function Insights({
  which,
  signals: { windowId, latestGroupId, dataStale },
}: {
  which: { projectId: string; studyId: string };
  signals: Output<'getStudySignals'>;
}) {
  const insights = useQuery({
    ...ask('getStudyWindowInsights', { ...which, windowId }),
    refetchInterval: ({ state }) => (isPending(state) ? pollEvery : false),
  });
  const never = isNotFound(insights.error);
  const earlier = useQuery({
    ...ask('getStudyWindowInsights', { ...which, windowId: latestGroupId ?? '' }),
    enabled: never && latestGroupId !== null && latestGroupId !== windowId,
  });
  const body = never ? {} : { force: true };
  const read = never ? earlier.data : insights.data;
  return (
    <InsightsSection
      example={<ApiExample operation="requestStudyInsights" input={{ ...which, body }} />}
      asked={!never}
      verb="Find causes and fixes"
      about={read ? undefined : 'Summarizes the findings, with causes and fixes from a language model.'}
      pending={isPending(insights)}
      problem={read?.errorMessage}
      request={() => api.requestStudyInsights({ ...which, body })}
      stop={() => api.cancelStudyInsights({ ...which, body: { windowId } })}
    >
      {!never && <QueryError of={insights} />}
      {read && never && (
        <Note>
          These are from <Time at={read.windowStartAt} /> to <Time at={read.windowEndAt} />; insights for the
          latest days have not been requested.
        </Note>
      )}
      {insights.data?.status === 'completed' && !never && dataStale && (
        <Note>Newer sessions are not included yet.</Note>
      )}
      {read?.status === 'completed' && (
        <Found insights={read.insights} discovery={read.discovery} at={read.updatedAt}>
          {(sessionIds) => <Evidence which={which} sessionIds={sessionIds} />}
        </Found>
      )}
    </InsightsSection>
  );
}

/** Polling stops when the latest request fails, even if an earlier response is cached. */
function isPending({
  data,
  error,
}: {
  data: Output<'getStudyWindowInsights'> | undefined;
  error: unknown;
}): boolean {
  return data?.status === 'pending' && !isNotFound(error);
}
