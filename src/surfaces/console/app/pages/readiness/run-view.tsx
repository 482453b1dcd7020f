import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { answersOf, ask } from '../../api/ask.ts';
import { api } from '../../api/client.ts';
import { Button } from '../../kit/button.tsx';
import { Id } from '../../kit/copy.tsx';
import { Note, Problem, Skeleton } from '../../kit/notice.tsx';
import { Facts, Section } from '../../kit/page.tsx';
import { StateBadge } from '../../kit/state.tsx';
import { Time } from '../../kit/time.tsx';
import { complain, say } from '../../kit/toast.tsx';
import { Same } from '../../same/same.tsx';
import css from './readiness.module.css';
import { ReadinessReport } from './report.tsx';
import { directories, isOpen, type ReadinessRun, stateOf } from './words.ts';

const pollEvery = 1_500;

/** A run as it stands, read again until it is over. */
export function useReadinessRun(projectId: string, runId: string | undefined) {
  return useQuery({
    ...ask('getReadinessRun', { projectId, readinessRunId: runId ?? '' }),
    enabled: runId !== undefined,
    refetchInterval: ({ state }) => (state.data && isOpen(state.data) ? pollEvery : false),
  });
}

/** One run: while it goes on how far it is, then what it found. */
export function ReadinessRunView({
  projectId,
  runId,
  again,
}: {
  projectId: string;
  runId: string;
  again: ReactNode;
}) {
  const which = { projectId, readinessRunId: runId };
  const query = useReadinessRun(projectId, runId);
  const run = query.data;
  const report = useQuery({
    ...ask('getReadinessReport', which),
    enabled: run?.hasReport ?? false,
    // What is written stays as it is.
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (query.isError) return <Problem error={query.error} retry={() => void query.refetch()} back={again} />;
  if (!run) return <Skeleton lines={6} />;
  const { state, word } = stateOf(run);
  return (
    <>
      <Section
        title={
          <span className={css.head}>
            {directories[run.readinessKind]} directory <StateBadge state={state}>{word}</StateBadge>
          </span>
        }
        actions={
          <>
            {run.hasReport && <Same operation="getReadinessReport" input={which} />}
            {isOpen(run) ? <Cancel which={which} /> : again}
          </>
        }
      >
        <RunFacts run={run} />
        <Progress run={run} />
        <Observations run={run} />
      </Section>
      {report.isError && <Problem error={report.error} retry={() => void report.refetch()} />}
      {run.hasReport && report.isPending && <Skeleton lines={10} />}
      {report.data && <ReadinessReport report={report.data} />}
    </>
  );
}

const ways: Record<NonNullable<ReadinessRun['authMode']>, string> = {
  headless: 'without credentials',
  interactive: 'with the grant of somebody who signed in',
  'provided-token': 'with saved headers',
};

function RunFacts({ run }: { run: ReadinessRun }) {
  return (
    <Facts
      facts={[
        ['Run', <Id key="id" value={run.id} />],
        ['Started', <Time key="started" at={run.createdAt} />],
        ['Address', <code key="address">{run.serverUrl}</code>],
        [
          'Submitted',
          run.submissionMode === null
            ? undefined
            : run.submissionMode === 'mcp-only'
              ? 'the server'
              : 'the server and its skills',
        ],
        ['Reached', run.authMode === null ? undefined : ways[run.authMode]],
        ['Rules of', run.policySnapshotDate],
      ]}
    />
  );
}

function Progress({ run: { status, errorMessage, attemptCount } }: { run: ReadinessRun }) {
  if (status === 'failed')
    return <p role="alert">The run came to nothing{errorMessage === null ? '.' : `: ${errorMessage}`}</p>;
  if (status === 'cancelled') return <Note>It was cancelled before it had a report. Start another one.</Note>;
  if (status === 'completed') return null;
  return (
    <p role="status">
      {status === 'pending'
        ? 'It waits for its turn.'
        : `The server is being looked at, which takes three minutes at most${attemptCount > 1 ? `; this is attempt ${attemptCount}` : ''}.`}
    </p>
  );
}

const observed: Record<ReadinessRun['llmObservations']['status'], string | undefined> = {
  'not-requested': undefined,
  pending: 'A model looks at the tools afterwards.',
  completed: undefined,
  'billing-blocked': 'The model was not asked: the insights of today are used up.',
  'provider-failed': 'The model gave no answer, so nothing that it might have noticed is below.',
  'invalid-output': 'The model answered with something else than was asked for, so nothing of it is below.',
};

function Observations({ run: { llmObservations, status } }: { run: ReadinessRun }) {
  const words = observed[llmObservations.status];
  if (words === undefined || status === 'failed' || status === 'cancelled') return null;
  return (
    <Note>
      {words} {llmObservations.detail}
    </Note>
  );
}

function Cancel({ which }: { which: { projectId: string; readinessRunId: string } }) {
  const queryClient = useQueryClient();
  const cancelling = useMutation({
    mutationFn: () => api.cancelReadinessRun(which),
    onSuccess: () => say('Run cancelled'),
    onError: complain,
    onSettled: () =>
      Promise.all(
        (['getReadinessRun', 'listReadinessRuns'] as const).map((id) =>
          queryClient.invalidateQueries(answersOf(id)),
        ),
      ),
  });
  return (
    <>
      <Same operation="cancelReadinessRun" input={which} />
      <Button busy={cancelling.isPending} onClick={() => cancelling.mutate()}>
        Cancel run
      </Button>
    </>
  );
}
