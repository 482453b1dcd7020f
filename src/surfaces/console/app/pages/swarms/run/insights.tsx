import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { DrydockError } from '../../../../../client/index.ts';
import { answersOf, ask } from '../../../api/ask.ts';
import { api } from '../../../api/client.ts';
import { Button } from '../../../kit/button.tsx';
import { Note, Problem } from '../../../kit/notice.tsx';
import { Section } from '../../../kit/page.tsx';
import { StateMark } from '../../../kit/state.tsx';
import { complain, say } from '../../../kit/toast.tsx';
import { Same } from '../../../same/same.tsx';
import type { JourneyRun } from '../states.ts';
import css from '../swarms.module.css';
import { Found } from './found.tsx';

/** How often it is looked whether they are there. */
const pollEvery = 2_000;

/** What the sessions of the wave have in common, once somebody has asked for it. */
export function Insights({ run }: { run: JourneyRun }) {
  const { projectId, id: journeyRunId, waveId = journeyRunId } = run;
  const which = { projectId, waveId };
  const queryClient = useQueryClient();
  const insights = useQuery({
    ...ask('getWaveInsights', which),
    enabled: run.insights?.status !== 'not_requested',
    refetchInterval: ({ state }) => (state.data?.status === 'pending' ? pollEvery : false),
  });
  const never =
    run.insights?.status === 'not_requested' ||
    (insights.error instanceof DrydockError && insights.error.code === 'NOT_FOUND');
  const body = never ? {} : { force: true };
  const changed = async (): Promise<void> => {
    for (const id of ['getJourneyRun', 'getWaveInsights'] as const)
      await queryClient.invalidateQueries(answersOf(id));
  };
  const asking = useMutation({
    mutationFn: () => api.requestWaveInsights({ ...which, body }),
    onSuccess: async () => {
      say('Insights asked for');
      await changed();
    },
    onError: complain,
  });
  const stopping = useMutation({
    mutationFn: () => api.cancelWaveInsights(which),
    onSuccess: changed,
    onError: complain,
  });
  const read = insights.data;
  const pending = read?.status === 'pending';
  return (
    <Section
      title="Insights"
      actions={
        <>
          <Same operation="requestWaveInsights" input={{ ...which, body }} />
          {pending && (
            <Button look="quiet" busy={stopping.isPending} onClick={() => stopping.mutate()}>
              Stop
            </Button>
          )}
          <Button busy={asking.isPending || pending} onClick={() => asking.mutate()}>
            {never ? 'Find what sessions have in common' : 'Look again'}
          </Button>
        </>
      }
    >
      {never && (
        <Note>
          Gathers what went wrong in the sessions of this wave, with causes where a model sees some.
        </Note>
      )}
      {insights.isError && !never && <Problem error={insights.error} retry={() => void insights.refetch()} />}
      {pending && <StateMark state="running">being gathered</StateMark>}
      {read?.errorMessage && <Note>{read.errorMessage}</Note>}
      {read?.status === 'completed' && (
        <Found insights={read.insights} discovery={read.discovery} at={read.updatedAt}>
          {(sessionIds) => <Evidence run={run} sessionIds={sessionIds} />}
        </Found>
      )}
    </Section>
  );
}

/** Sessions that show it. Those of other runs of the wave open as chats. */
function Evidence({ run, sessionIds }: { run: JourneyRun; sessionIds: readonly string[] }) {
  const own = new Set(run.attempts?.map(({ chatSessionId }) => chatSessionId));
  const { projectId, id: journeyRunId } = run;
  if (sessionIds.length === 0) return null;
  return (
    <ul className={css.evidence} aria-label="Sessions that show it">
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
              session {at + 1}, of another run
            </Link>
          )}
        </li>
      ))}
    </ul>
  );
}
