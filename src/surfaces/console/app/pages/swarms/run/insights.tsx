import { Link } from '@tanstack/react-router';
import { DrydockError } from '../../../../../client/index.ts';
import { api, ask, useAction, useQuery } from '../../../api/index.ts';
import { ApiExample } from '../../../api-example/api-example.tsx';
import { Button } from '../../../kit/button.tsx';
import { Note, Problem } from '../../../kit/notice.tsx';
import { Section } from '../../../kit/page.tsx';
import { StateMark } from '../../../kit/state.tsx';
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
  const never =
    run.insights?.status === 'not_requested' ||
    (insights.error instanceof DrydockError && insights.error.code === 'NOT_FOUND');
  const body = never ? {} : { force: true };
  const asking = useAction(() => api.requestWaveInsights({ ...which, body }), { says: 'Insights requested' });
  const stopping = useAction(() => api.cancelWaveInsights(which));
  const read = insights.data;
  const pending = read?.status === 'pending';
  return (
    <Section
      title="Insights"
      actions={
        <>
          <ApiExample operation="requestWaveInsights" input={{ ...which, body }} />
          {pending && (
            <Button look="quiet" action={stopping}>
              Stop
            </Button>
          )}
          <Button busy={asking.isPending || pending} onClick={() => asking.mutate()}>
            {never ? 'Find common causes' : 'Run again'}
          </Button>
        </>
      }
    >
      {never && <Note>Summarizes the failures in this wave's sessions, with causes from a model.</Note>}
      {insights.isError && !never && <Problem error={insights.error} retry={() => void insights.refetch()} />}
      {pending && <StateMark state="running">running</StateMark>}
      {read?.errorMessage && <Note>{read.errorMessage}</Note>}
      {read?.status === 'completed' && (
        <Found insights={read.insights} discovery={read.discovery} at={read.updatedAt}>
          {(sessionIds) => <Evidence run={run} sessionIds={sessionIds} />}
        </Found>
      )}
    </Section>
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
