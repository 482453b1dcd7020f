import { api, ask, type Output, useAction, useQuery } from '../../api/index.ts';
import { ApiExample } from '../../api-example/api-example.tsx';
import { Button } from '../../kit/button.tsx';
import { Note, Problem } from '../../kit/notice.tsx';
import { Section } from '../../kit/page.tsx';
import { StateMark } from '../../kit/state.tsx';
import { Time } from '../../kit/time.tsx';
import { Found } from '../swarms/run/found.tsx';
import { Evidence } from './evidence.tsx';
import { isNotFound } from './study.ts';

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
  const asking = useAction(() => api.requestStudyInsights({ ...which, body }), {
    says: 'Insights requested',
  });
  const stopping = useAction(() => api.cancelStudyInsights({ ...which, body: { windowId } }));
  const read = never ? earlier.data : insights.data;
  const pending = isPending(insights);
  return (
    <Section
      title="Insights"
      actions={
        <>
          <ApiExample operation="requestStudyInsights" input={{ ...which, body }} />
          {pending && (
            <Button look="quiet" action={stopping}>
              Stop
            </Button>
          )}
          <Button busy={asking.isPending || pending} onClick={() => asking.mutate()}>
            {never ? 'Find causes and fixes' : 'Run again'}
          </Button>
        </>
      }
    >
      {never && !read && <Note>Summarizes the findings, with causes and fixes from a language model.</Note>}
      {insights.isError && !never && <Problem error={insights.error} retry={() => void insights.refetch()} />}
      {pending && <StateMark state="running">running</StateMark>}
      {read && never && (
        <Note>
          These are from <Time at={read.windowStartAt} /> to <Time at={read.windowEndAt} />; insights for the
          latest days have not been requested.
        </Note>
      )}
      {insights.data?.status === 'completed' && !never && dataStale && (
        <Note>Newer sessions are not included yet.</Note>
      )}
      {read?.errorMessage && <Note>{read.errorMessage}</Note>}
      {read?.status === 'completed' && (
        <Found insights={read.insights} discovery={read.discovery} at={read.updatedAt}>
          {(sessionIds) => <Evidence which={which} sessionIds={sessionIds} />}
        </Found>
      )}
    </Section>
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
