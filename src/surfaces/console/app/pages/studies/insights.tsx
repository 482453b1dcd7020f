import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Output } from '../../../../client/index.ts';
import { answersOf, ask } from '../../api/ask.ts';
import { api } from '../../api/client.ts';
import { Button } from '../../kit/button.tsx';
import { Note, Problem } from '../../kit/notice.tsx';
import { Section } from '../../kit/page.tsx';
import { StateMark } from '../../kit/state.tsx';
import { Time } from '../../kit/time.tsx';
import { complain, say } from '../../kit/toast.tsx';
import { Same } from '../../same/same.tsx';
import { Found } from '../swarms/run/found.tsx';
import { Evidence } from './evidence.tsx';
import { isMissing } from './study.ts';

/** How often it is looked whether they are there. */
const pollEvery = 2_000;

/** What a model makes of the latest seven days; until somebody asks, of the latest days that it was asked about. */
export function Insights({
  which,
  signals: { windowId, latestGroupId, dataStale },
}: {
  which: { projectId: string; studyId: string };
  signals: Output<'getStudySignals'>;
}) {
  const queryClient = useQueryClient();
  const insights = useQuery({
    ...ask('getStudyWindowInsights', { ...which, windowId }),
    refetchInterval: ({ state }) => (isPending(state) ? pollEvery : false),
  });
  const never = isMissing(insights.error);
  const earlier = useQuery({
    ...ask('getStudyWindowInsights', { ...which, windowId: latestGroupId ?? '' }),
    enabled: never && latestGroupId !== null && latestGroupId !== windowId,
  });
  const body = never ? {} : { force: true };
  const changed = async (): Promise<void> => {
    for (const id of ['getStudySignals', 'getStudyWindowInsights', 'getStudy'] as const)
      await queryClient.invalidateQueries(answersOf(id));
  };
  const asking = useMutation({
    mutationFn: () => api.requestStudyInsights({ ...which, body }),
    onSuccess: async () => {
      say('Insights asked for');
      await changed();
    },
    onError: complain,
  });
  const stopping = useMutation({
    mutationFn: () => api.cancelStudyInsights({ ...which, body: { windowId } }),
    onSuccess: changed,
    onError: complain,
  });
  const read = never ? earlier.data : insights.data;
  const pending = isPending(insights);
  return (
    <Section
      title="Insights"
      actions={
        <>
          <Same operation="requestStudyInsights" input={{ ...which, body }} />
          {pending && (
            <Button look="quiet" busy={stopping.isPending} onClick={() => stopping.mutate()}>
              Stop
            </Button>
          )}
          <Button busy={asking.isPending || pending} onClick={() => asking.mutate()}>
            {never ? 'Ask for causes and remedies' : 'Look again'}
          </Button>
        </>
      }
    >
      {never && !read && (
        <Note>Gathers what was counted, with causes and remedies where a language model sees some.</Note>
      )}
      {insights.isError && !never && <Problem error={insights.error} retry={() => void insights.refetch()} />}
      {pending && <StateMark state="running">being gathered</StateMark>}
      {read && never && (
        <Note>
          These are from <Time at={read.windowStartAt} /> to <Time at={read.windowEndAt} />; nobody has asked
          about the latest days yet.
        </Note>
      )}
      {insights.data?.status === 'completed' && !never && dataStale && (
        <Note>More has happened since they were asked for.</Note>
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

/** An answer that is kept beside a later refusal is over: nobody asks any more. */
function isPending({
  data,
  error,
}: {
  data: Output<'getStudyWindowInsights'> | undefined;
  error: unknown;
}): boolean {
  return data?.status === 'pending' && !isMissing(error);
}
